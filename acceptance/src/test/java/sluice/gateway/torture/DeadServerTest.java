package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Bytes;
import sluice.testkit.FreePort;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Servers that are not there, or not for us: said at once, and no reason to close a client. */
class DeadServerTest {
  private static final byte[] BINARY_GET =
      ByteBuffer.allocate(25)
          .put((byte) 0x80)
          .put((byte) 0)
          .putShort((short) 1)
          .putInt(0)
          .putInt(1)
          .putInt(0x01020304)
          .putLong(0)
          .put((byte) 'k')
          .array();

  @Test
  void shouldAnswerEveryRequestInOrderWhenNothingListens() throws Exception {
    try (RunningGateway gateway = RunningGateway.before(FreePort.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      for (int i = 0; i < 3; i++) {
        long begin = System.nanoTime();
        client.send("get a\r\nset b 0 0 1\r\nx\r\nset c 0 0 1 noreply\r\nx\r\nmg d v\r\nmn\r\n");
        for (int reply = 0; reply < 3; reply++) {
          assertThat(client.line()).startsWith("SERVER_ERROR ").contains("is unreachable");
        }
        assertThat(client.line()).isEqualTo("MN");
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin)).isLessThan(8_000);
      }
    }
  }

  @Test
  void shouldAnswerABinaryRequestWithTemporaryFailureWhenNothingListens() throws Exception {
    try (RunningGateway gateway = RunningGateway.before(FreePort.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      for (int i = 0; i < 2; i++) {
        ByteBuffer header = ByteBuffer.wrap(client.send(BINARY_GET).read(24));
        assertThat(header.getShort(6)).isEqualTo((short) 0x86);
        assertThat(header.getInt(12)).isEqualTo(0x01020304);
        byte[] reason = client.read(header.getInt(8));
        assertThat(new String(reason, StandardCharsets.US_ASCII)).contains("is unreachable");
      }
    }
  }

  @Test
  void shouldKnowThatAServerIsGoneAndBackWithoutBeingAsked() throws Exception {
    InetSocketAddress address = FreePort.address();
    try (RunningGateway gateway = RunningGateway.before(address).start()) {
      for (int i = 0; i < 2; i++) {
        try (ScriptedServer server =
            new ScriptedServer(address.getPort(), ScriptedServer::behave)) {
          assertThat(becomes(gateway, "up")).as(gateway.admin("/pools")).isTrue();
          assertThat(server.requests()).isEmpty();
        }
        assertThat(becomes(gateway, "down")).as(gateway.admin("/pools")).isTrue();
        assertThat(gateway.admin("/pools")).contains("is unreachable");
      }
    }
  }

  @Test
  void shouldNotHammerAServerThatClosesEveryConnection() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RunningGateway gateway =
            RunningGateway.before(
                    new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()))
                .start()) {
      int accepted = 0;
      listener.setSoTimeout(20_000);
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(2)) {
        try (Socket socket = listener.accept()) {
          accepted++;
          socket.getInputStream().readNBytes("version\r\n".length());
          socket.getOutputStream().write("VERSION 1.6.18\r\n".getBytes(StandardCharsets.US_ASCII));
          Thread.sleep(20);
        }
      }
      assertThat(accepted).isBetween(2, 30); // probeAfter is 200 ms
      assertThat(gateway.inFlight()).isZero();
    }
  }

  private static boolean becomes(RunningGateway gateway, String state) {
    return Patience.soon(
        () -> gateway.admin("/pools").replace(" ", "").contains("\"state\":\"" + state + '"'));
  }

  @Test
  void shouldUseAServerSoonAfterItWasStarted() throws Exception {
    InetSocketAddress address = FreePort.address();
    try (RunningGateway gateway = RunningGateway.before(address).start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("get k\r\n")).startsWith("SERVER_ERROR ");
      try (ScriptedServer server = new ScriptedServer(address.getPort(), ScriptedServer::behave)) {
        long begin = System.nanoTime();
        while (!client.ask("set k 0 0 1\r\nx\r\n").equals("STORED")) {
          assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(20));
          Thread.sleep(10);
        }
        assertThat(server.requests()).hasSize(1);
      }
      assertThat(client.ask("get k\r\n")).startsWith("SERVER_ERROR ");
      assertThat(Patience.soon(() -> state(gateway).contains("\"state\" : \"down\"")))
          .as(state(gateway))
          .isTrue();
      assertThat(client.ask("get k\r\n")).startsWith("SERVER_ERROR ");
    }
  }

  /** A memcached that is to listen at an address, with these further options. */
  private static ProcessBuilder memcached(
      InetSocketAddress address, Path directory, String... options) {
    String port = Integer.toString(address.getPort());
    String user = System.getProperty("user.name");
    List<String> command = new ArrayList<>(List.of("memcached", "-l", "127.0.0.1", "-p", port));
    command.addAll(List.of("-U", "0", "-u", user));
    command.addAll(List.of(options));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("output").toFile());
  }

  @Test
  void shouldSayThatAServerWantsAuthentication(@TempDir Path directory) throws Exception {
    Path users = Files.writeString(directory.resolve("users"), "user:password\n");
    InetSocketAddress address = FreePort.address();
    Process memcached = memcached(address, directory, "-Y", users.toString()).start();
    try (RunningGateway gateway = RunningGateway.before(address).start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(Patience.soon(() -> state(gateway).contains("requires a login")))
          .as(state(gateway))
          .isTrue();
      assertThat(client.ask("get k\r\n")).startsWith("SERVER_ERROR ").contains("requires a login");
      assertThat(client.ask("set k 0 0 1\r\nx\r\n")).contains("requires a login");
    } finally {
      memcached.destroyForcibly().waitFor();
    }
  }

  /** With SASL a server speaks binary only, and answers nothing but a login. */
  @Test
  void shouldSayThatAServerWantsSasl(@TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("memcached.conf"), "mech_list: plain\n");
    InetSocketAddress address = FreePort.address();
    ProcessBuilder builder = memcached(address, directory, "-S");
    builder.environment().put("SASL_CONF_PATH", directory.toString());
    Process memcached = builder.start();
    try (RunningGateway gateway =
            RunningGateway.before(address).timeout("1s").connectTimeout("1s").start();
        RawClient client = new RawClient(gateway.address())) {
      AtomicReference<String> last = new AtomicReference<>();
      boolean said =
          Patience.soon(
              () -> {
                last.set(answerTo(client, BINARY_GET));
                return last.get().contains("requires a login");
              });
      assertThat(said).as(last.get()).isTrue();
      assertThat(last.get().charAt(7)).as("status: temporary failure").isEqualTo((char) 0x86);
      assertThat(state(gateway)).contains("requires a login");
      try (RawClient text = new RawClient(gateway.address())) {
        assertThat(text.ask("get k\r\n")).startsWith("SERVER_ERROR ");
      }
    } finally {
      memcached.destroyForcibly().waitFor();
    }
  }

  /** The whole answer to a packet, a char a byte. */
  private static String answerTo(RawClient client, byte[] packet) {
    try {
      byte[] head = client.send(packet).read(24);
      int body = new Bytes().bytes(head).int32At(8);
      return new String(head, ISO_8859_1) + new String(client.read(body), ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @SuppressWarnings("try") // closed twice: the second time is for a test that failed before
  void shouldAnswerForAServerThatDied() throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = RunningGateway.before(server.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      server.close();
      assertThat(client.ask("get k\r\n")).startsWith("SERVER_ERROR ");
      assertThat(client.ask("get k\r\n")).startsWith("SERVER_ERROR ");
    }
  }

  private static String state(RunningGateway gateway) {
    return gateway.admin("/pools");
  }
}
