package sluice.gateway.process;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.testkit.FreePort;

/** A listener that one reload removes and the next adds again. */
class ListenerAgainTest {
  private static final long LIMIT_SECONDS = 60;
  private static final int RELOADS = 200;

  private static Configuration configuration(String listener) {
    return Loader.parse(
            "next.yaml",
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: 2, drain: 100ms}
            listeners:
              other: {bind: 127.0.0.1:0, route: cache}
              %s
            routes: {cache: [{pool: one}]}
            pools: {one: {protocol: embedded, size: 16MiB}}
            """
                .formatted(listener))
        .configuration();
  }

  /** Its earlier socket may still be closing, with which the new one would close, too. */
  @Test
  void shouldAcceptClients() throws Exception {
    int port = FreePort.number();
    Configuration without = configuration("");
    Configuration with = configuration("cache: {bind: \"127.0.0.1:" + port + "\", route: cache}");
    Gateway gateway = Gateway.start(with).await(LIMIT_SECONDS, TimeUnit.SECONDS);
    try {
      for (int i = 0; i < RELOADS; i++) {
        Future<Void> removed = gateway.follow(without);
        gateway.follow(with).await(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(removed.succeeded()).isTrue();
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
          client.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
          client.getOutputStream().write("mn\r\n".getBytes(US_ASCII));
          assertThat(client.getInputStream().read()).isEqualTo('M');
        }
      }
    } finally {
      gateway.close().await(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }
}
