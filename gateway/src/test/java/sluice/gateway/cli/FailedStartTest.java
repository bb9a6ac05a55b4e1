package sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a gateway prints that cannot start: the reason alone, in one line. */
class FailedStartTest {
  private @TempDir Path directory;

  private String printed(int port, String... launcher) throws Exception {
    return printed("127.0.0.1:" + port, launcher);
  }

  private String printed(String bind, String... launcher) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("sluice.yaml"),
            """
            admin: {bind: 127.0.0.1:0}
            listeners: {main: {bind: %s, route: all}}
            routes: {all: [{pool: store}]}
            pools: {store: {protocol: embedded}}
            """
                .formatted(bind));
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
              "sluice: %s:2:26: listeners.main.bind: cannot bind 127.0.0.1:%d: Address already in use\n"
                  .formatted(directory.resolve("sluice.yaml"), port));
    }
  }

  /** Netty would replace it. */
  @Test
  void shouldKeepAFileAtThePathOfASocket() throws Exception {
    Path file = Files.writeString(directory.resolve("data"), "kept");
    assertThat(printed("unix:" + file))
        .isEqualTo(
            "sluice: %s:2:26: listeners.main.bind: cannot bind unix:%s: there is a file that is not a socket\n"
                .formatted(directory.resolve("sluice.yaml"), file));
    assertThat(file).hasContent("kept");
  }

  @Test
  void shouldLeaveAnotherProcessItsSocket() throws Exception {
    Path path = directory.resolve("cache.sock");
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(address);
      assertThat(printed("unix:" + path))
          .isEqualTo(
              "sluice: %s:2:26: listeners.main.bind: cannot bind unix:%s: Address already in use\n"
                  .formatted(directory.resolve("sluice.yaml"), path));
      try (SocketChannel client = SocketChannel.open(address);
          SocketChannel accepted = other.accept()) {
        assertThat(client.isConnected()).isTrue();
        assertThat(accepted.isConnected()).isTrue();
      }
    }
  }
}
