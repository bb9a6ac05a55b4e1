package sluice.gateway.route;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class MigrationTest {
  private static int moved(long fromMillis, long untilMillis, long now) {
    Migration migration = new Migration(1, 100, fromMillis, untilMillis, () -> now);
    int moved = 0;
    for (int i = 0; i < 1000; i++) {
      ByteBuf key = Unpooled.copiedBuffer("user:" + i, US_ASCII);
      moved += migration.hasMoved(key, 0, key.writerIndex()) ? 1 : 0;
    }
    return moved;
  }

  @Test
  void shouldMoveAllAtOnceWithoutAPeriod() {
    assertThat(moved(0, 0, 1000)).isEqualTo(1000);
  }

  @Test
  void shouldMoveLittleByLittleFromTheFirstMillisecondOn() {
    assertThat(moved(0, 1000, 100)).isBetween(50, 150);
    assertThat(moved(1000, 2000, 1500)).isBetween(400, 600);
    assertThat(moved(1000, 2000, 900)).isZero();
  }
}
