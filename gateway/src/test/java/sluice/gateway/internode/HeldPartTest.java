package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.MemoryShare;

class HeldPartTest {
  private static final int SHORT = 50 << 20; // over three quarters of 64 MiB

  private final ScriptedLink link = new ScriptedLink();
  private final HeldPart part = new HeldPart(link.loop());
  private boolean isRead = true;

  @AfterEach
  void close() {
    link.close();
  }

  private void beShort() {
    link.loop().buffered(SHORT);
  }

  /** Looks at a part of so many bytes for some seconds; returns whether it stands still then. */
  private boolean standsStill(long unit, long held, int seconds) {
    for (int i = 0; i < seconds; i++) {
      link.pass(1_000);
      part.look(unit, held, isRead);
    }
    return part.standsStill();
  }

  @Test
  void shouldStandStillWhereNothingComesWhileMemoryIsShort() {
    beShort();
    assertThat(standsStill(1, 50_000, 31)).isFalse(); // the first look finds it
    assertThat(standsStill(1, 50_000 + HeldPart.LEAST_GROWTH - 1, 1)).isTrue();
  }

  @Test
  void shouldStayWhileThereIsMemory() {
    assertThat(standsStill(1, 50_000, 100)).isFalse();
    beShort();
    assertThat(standsStill(1, 50_000, 30)).isFalse();
    link.loop().buffered(-SHORT);
    assertThat(standsStill(1, 50_000, 1)).isFalse();
    beShort();
    assertThat(standsStill(1, 50_000, 30)).isFalse();
  }

  /** Closing the link would free none of what they take. */
  @Test
  void shouldStayWhereOnlyRequestObjectsAreMany() {
    MemoryShare memory = link.loop().memory();
    memory.addObjects(memory.objectCeiling());
    assertThat(memory.isRelaxed()).isFalse();
    assertThat(standsStill(1, 50_000, 100)).isFalse();
    memory.addObjects(-memory.objectCeiling());
  }

  @Test
  void shouldStayWhereItIsSmall() {
    beShort();
    assertThat(standsStill(1, HeldPart.MOST_AT_REST, 100)).isFalse();
  }

  @Test
  void shouldStayWhereMuchOfTheRestComes() {
    beShort();
    for (int i = 0; i < 5; i++) {
      assertThat(standsStill(1, 50_000 + i * HeldPart.LEAST_GROWTH, 30)).isFalse();
    }
    assertThat(standsStill(2, 50_000, 30)).as("another frame").isFalse();
    assertThat(standsStill(2, 50_000, 2)).isTrue();
  }

  /** What has come meanwhile waits in the kernel. */
  @Test
  void shouldCountOnlyTheTimeInWhichTheLinkIsRead() {
    beShort();
    assertThat(standsStill(1, 50_000, 30)).isFalse();
    isRead = false;
    assertThat(standsStill(1, 50_000, 100)).isFalse();
    isRead = true;
    assertThat(standsStill(1, 50_000, 2)).isTrue();
  }

  @Test
  void shouldNotCountTheTimeOfABusyEventLoop() {
    beShort();
    part.look(1, 50_000, isRead);
    for (int i = 0; i < 3; i++) {
      link.pass(60_000);
      part.look(1, 50_000, isRead);
    }
    assertThat(part.standsStill()).isFalse();
  }
}
