package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import sluice.testkit.Patience;

/** A running HAProxy in TCP mode; each of its proxies listens on a port of its own. */
@SuppressWarnings("AddressSelection") // the literal is the only address
final class Haproxy implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/sbin/haproxy");

  private final Path log;
  private final Process process;
  private final Map<String, InetSocketAddress> addresses;

  private Haproxy(Path log, Process process, Map<String, InetSocketAddress> addresses) {
    this.log = log;
    this.process = process;
    this.addresses = addresses;
  }

  /** What it is to do, in the words of its configuration. */
  static final class Builder {
    private final Path directory;
    private final Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
    private final StringBuilder proxies = new StringBuilder();

    private Builder(Path directory) {
      this.directory = directory;
    }

    /**
     * A proxy in front of one server.
     *
     * @param host where it listens
     * @param options of the line {@code server}
     */
    Builder proxy(String name, String host, InetSocketAddress server, String options)
        throws IOException {
      InetSocketAddress at = new InetSocketAddress(InetAddress.getByName(host), freePort(host));
      addresses.put(name, at);
      proxies
          .append("listen ")
          .append(name)
          .append("\n  bind ")
          .append(host.indexOf(':') < 0 ? host : '[' + host + ']')
          .append(':')
          .append(at.getPort())
          .append("\n  server gateway 127.0.0.1:")
          .append(server.getPort())
          .append(' ')
          .append(options)
          .append('\n');
      return this;
    }

    /** Starts it and waits until it listens. */
    Haproxy start() throws IOException {
      assertThat(PROGRAM).as("package haproxy").exists();
      Path file =
          Files.writeString(
              directory.resolve("haproxy.cfg"),
              """
              global
                maxconn 200
                nbthread 1
              defaults
                mode tcp
                timeout connect 10s
                timeout check 10s
                timeout client 30s
                timeout server 30s
                unique-id-format %{+X}o%ci:%cp-%rt
              """
                  + proxies);
      Path log = directory.resolve("haproxy.log");
      Process process =
          new ProcessBuilder(PROGRAM.toString(), "-db", "-f", file.toString())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      Haproxy haproxy = new Haproxy(log, process, addresses);
      for (InetSocketAddress address : addresses.values()) {
        if (!Patience.soon(() -> !process.isAlive() || isListening(address))
            || !process.isAlive()) {
          haproxy.close();
          throw new IllegalStateException("HAProxy does not listen: " + Files.readString(log));
        }
      }
      return haproxy;
    }
  }

  private static boolean isListening(InetSocketAddress address) {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort(String host) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      return socket.getLocalPort();
    }
  }

  /** One whose files are in directory. */
  static Builder in(Path directory) {
    return new Builder(directory);
  }

  /** Where the proxy of that name listens. */
  InetSocketAddress address(String name) {
    return addresses.get(name);
  }

  /** What it has written so far. */
  String log() throws IOException {
    return Files.readString(log);
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
