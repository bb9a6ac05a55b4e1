package sluice.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.gateway.server.health.ServerStatus;

/** Whether something waits for a server. A loop where nothing does is swept less often. */
class AwaitedServerTest {
  private static final String VERSION = "VERSION 1.6.45\r\n";

  private final ProbedServer server = new ProbedServer(ServerStatus.Side.TEXT, null);

  @Test
  void shouldBeAwaitedUntilItHasAnswered() {
    assertThat(server.asked()).isEqualTo("version\r\n");
    assertThat(server.server().isAwaited()).isTrue();
    server.answer(VERSION);
    assertThat(server.server().isAwaited()).isFalse();

    server.connection().keepAlive().pingIfSilentFor(-1);
    assertThat(server.server().isAwaited()).isTrue();
    assertThat(server.asked()).isNotEmpty();
    server.answer(VERSION);
    assertThat(server.server().isAwaited()).isFalse();
    server.close();
  }

  @Test
  void shouldBeAwaitedUntilALostConnectionIsMadeAgain() {
    server.asked();
    server.answer(VERSION);
    server.ends();
    assertThat(server.server().isAwaited()).isTrue();
    server.close();
  }
}
