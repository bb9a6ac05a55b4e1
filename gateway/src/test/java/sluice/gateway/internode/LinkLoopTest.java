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
}
