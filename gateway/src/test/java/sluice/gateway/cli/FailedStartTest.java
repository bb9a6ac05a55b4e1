package sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a gateway prints that cannot start: the reason alone, in one line. */
class FailedStartTest {
  private @TempDir Path directory;

  private String printed(int port, String... launcher) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("sluice.yaml"),
            """
            admin: {bind: 127.0.0.1:0}
            listeners: {main: {bind: 127.0.0.1:%d, route: all}}
            routes: {all: [{pool: store}]}
            pools: {store: {protocol: embedded}}
            """
                .formatted(port));
    Path log = directory.resolve("log");
    Process gateway = ChildGateway.start(file, log, launcher);
    try {
      assertThat(gateway.waitFor(2, TimeUnit.MINUTES)).isTrue();
      assertThat(gateway.exitValue()).as(Files.readString(log)).isEqualTo(1);
      return Files.readString(log);
    } finally {
      gateway.destroyForcibly().waitFor();
    }
  }

  @Test
  void shouldSayThatAnAddressIsInUse() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThat(printed(port))
          .isEqualTo(
              "sluice: listeners.main.bind: cannot bind 127.0.0.1:%d: Address already in use\n"
                  .formatted(port));
    }
  }
}
