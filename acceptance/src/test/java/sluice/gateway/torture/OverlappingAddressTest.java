package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.testkit.FreePort;

/** A listener whose next address overlaps with the one that it has. */
class OverlappingAddressTest {
  private static Configuration configuration(String bind) {
    return Loader.parse("next.yaml", yaml(bind)).configuration();
  }

  private static String yaml(String bind) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 1}
    listeners: {cache: {bind: "%s", route: cache}}
    routes: {cache: [{pool: one}]}
    pools: {one: {protocol: embedded, size: 16MiB}}
    """
        .formatted(bind);
  }

  /** Else an operator looks for another process at the port. */
  @Test
  void shouldBeRefusedWithTheListenerThatHasTheAddress() throws Exception {
    int port = FreePort.number();
    try (RunningGateway gateway = RunningGateway.of(yaml("127.0.0.1:" + port))) {
      Configuration wider = configuration("0.0.0.0:" + port);
      assertThatThrownBy(() -> gateway.gateway().follow(wider).await(60, TimeUnit.SECONDS))
          .hasMessageStartingWith("listeners.cache.bind: cannot bind 0.0.0.0:" + port + ": ")
          .hasMessageContaining("; listener cache has 127.0.0.1:" + port + " until ");
      assertThat(gateway.gateway().address("cache")).isEqualTo("127.0.0.1:" + port);
    }
  }

  /** A restart would end in an error there. */
  @Test
  void shouldBeNoReasonWhereTheAddressIsAnotherMachines() throws Exception {
    int port = FreePort.number();
    try (RunningGateway gateway = RunningGateway.of(yaml("0.0.0.0:" + port))) {
      Configuration elsewhere = configuration("192.0.2.1:" + port); // RFC 5737: for documentation
      assertThatThrownBy(() -> gateway.gateway().follow(elsewhere).await(60, TimeUnit.SECONDS))
          .hasMessageStartingWith("listeners.cache.bind: cannot bind 192.0.2.1:" + port + ": ")
          .hasMessageNotContaining("; listener");
    }
  }
}
