package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;
import sluice.gateway.process.Gateway;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** What is left in the JVM of a gateway that was stopped. */
class StoppedGatewayTest {
  @Test
  void shouldLeaveNothingInTheHeap() throws Exception {
    WeakReference<Gateway> stopped = startAndStop();
    assertThat(
            Patience.soon(
                () -> {
                  System.gc();
                  return stopped.refersTo(null);
                }))
        .as("nothing holds it")
        .isTrue();
  }

  private static WeakReference<Gateway> startAndStop() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway = RunningGateway.before(server.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\nv\r\n")).isEqualTo("STORED");
      return new WeakReference<>(gateway.gateway());
    }
  }
}
