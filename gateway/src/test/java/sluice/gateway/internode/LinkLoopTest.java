package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LinkLoopTest {
  /** Otherwise hundreds of links that close at once hold up all other sockets of their loop. */
  @Test
  void shouldGiveTheRestsOfAllClosedLinksOnlySoMuchTimeInEachSecond() {
    try (ScriptedLink link = new ScriptedLink()) {
      LinkLoop links = link.links();
      assertThat(links.hasTimeAtEnd()).isTrue();
      links.spentAtEnd(TimeUnit.MILLISECONDS.toNanos(319));
      assertThat(links.hasTimeAtEnd()).isTrue();
      links.spentAtEnd(TimeUnit.MILLISECONDS.toNanos(5));
      assertThat(links.hasTimeAtEnd()).isFalse();
      link.pass(1000);
      assertThat(links.hasTimeAtEnd()).isFalse();
      link.pass(1);
      assertThat(links.hasTimeAtEnd()).isTrue();
    }
  }

  /** Otherwise each of hundreds of links that are ready at once takes a turn before them. */
  @Test
  void shouldLetOtherSocketsComeFirstWhenTheFramesOfAllLinksHaveTakenHalfOfTheTime() {
    try (ScriptedLink link = new ScriptedLink()) {
      LinkLoop links = link.links();
      assertThat(links.areOthersDue()).isFalse();
      take(links, link, 49);
      assertThat(links.areOthersDue()).isFalse();
      take(links, link, 1);
      assertThat(links.areOthersDue()).isTrue();
      link.pass(49);
      assertThat(links.areOthersDue()).isTrue();
      link.pass(1);
      assertThat(links.areOthersDue()).isFalse();
      take(links, link, 49);
      assertThat(links.areOthersDue()).isFalse();
      take(links, link, 5);
      assertThat(links.areOthersDue()).isTrue();
    }
  }

  private static void take(LinkLoop links, ScriptedLink link, int millis) {
    long from = link.loop().nanos();
    link.pass(millis);
    links.spentOnFrames(from, link.loop().nanos());
  }
}
