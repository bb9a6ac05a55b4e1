package sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.uring.IoUring;
import io.vertx.core.json.JsonObject;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;

/** A gateway on io_uring under the seccomp profile that {@code k8s/components/io-uring} has. */
class SeccompTest {
  private static final Path PROFILE =
      Path.of("..", "k8s", "components", "io-uring", "sluice-io-uring.json");

  private static final Pattern READY =
      Pattern.compile(" ready: tcp=127\\.0\\.0\\.1:(\\d+) .*admin=127\\.0\\.0\\.1:(\\d+)");

  /** Installs the profile named first, as a container runtime does, and becomes the command. */
  private static final String CONFINED =
      """
      import ctypes, json, os, sys
      lib = ctypes.CDLL("libseccomp.so.2")
      lib.seccomp_init.restype = ctypes.c_void_p
      lib.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
      lib.seccomp_load.argtypes = [ctypes.c_void_p]
      with open(sys.argv[1]) as text:
          profile = json.load(text)
      filter = lib.seccomp_init(0x00050000 | profile["defaultErrnoRet"])
      for group in profile["syscalls"]:
          for name in group["names"]:
              number = lib.seccomp_syscall_resolve_name(name.encode())
              if number >= 0:
                  assert lib.seccomp_rule_add(filter, 0x7fff0000, number, 0) == 0, name
      assert lib.seccomp_load(filter) == 0
      os.execv(sys.argv[2], sys.argv[2:])
      """;

  private @TempDir Path directory;
  private RealMemcached memcached;
  private Path file;
  private Path log;
  private Process gateway;

  @BeforeEach
  void configure() throws Exception {
    assumeTrue(IoUring.isAvailable(), "this kernel, or its seccomp profile, allows no io_uring");
    memcached = RealMemcached.start();
    file = directory.resolve("sluice.yaml");
    log = directory.resolve("log");
    Files.writeString(
        file,
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 2, transport: io_uring}
        listeners:
          tcp: {bind: 127.0.0.1:0, route: all}
          unix: {bind: "unix:%s", route: all}
        routes: {all: [{pool: main}]}
        pools: {main: {servers: ["127.0.0.1:%d"], compression: {above: 1KiB}}}
        """
            .formatted(directory.resolve("socket"), memcached.address().getPort()));
  }

  @AfterEach
  void end() throws Exception {
    if (gateway != null) {
      gateway.destroyForcibly().waitFor();
    }
    if (memcached != null) {
      memcached.close();
    }
  }

  private void start(Path profile) throws Exception {
    gateway = ChildGateway.start(file, log, "python3", "-c", CONFINED, profile.toString());
  }

  private String log() throws Exception {
    return Files.readString(log);
  }

  /** The system calls that the profile allows. */
  private static List<String> names() throws Exception {
    return new JsonObject(Files.readString(PROFILE))
        .getJsonArray("syscalls").getJsonObject(0).getJsonArray("names").stream()
            .map(Object::toString)
            .toList();
  }

  @Test
  void shouldServeUnderItsProfile() throws Exception {
    start(PROFILE);
    Patience.within(Duration.ofMinutes(2), () -> !gateway.isAlive() || READY.matcher(log()).find());
    Matcher ready = READY.matcher(log());
    assertThat(ready.find()).as(log()).isTrue();
    assertThat(log()).contains("transport=io_uring");
    String value = "x".repeat(5000);
    byte[] requests = ("set k 0 0 5000\r\n" + value + "\r\nget k\r\n").getBytes(ISO_8859_1);
    String replies = "STORED\r\nVALUE k 0 5000\r\n" + value + "\r\nEND\r\n";
    try (Socket client =
        new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(ready.group(1)))) {
      client.setSoTimeout(60_000);
      client.getOutputStream().write(requests);
      InputStream in = client.getInputStream();
      assertThat(new String(in.readNBytes(replies.length()), ISO_8859_1)).isEqualTo(replies);
    }
    try (SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      client.connect(UnixDomainSocketAddress.of(directory.resolve("socket")));
      client.write(ByteBuffer.wrap(requests));
      ByteBuffer read = ByteBuffer.allocate(replies.length());
      while (read.hasRemaining() && client.read(read) >= 0) {
        // until all are there
      }
      assertThat(new String(read.array(), ISO_8859_1)).isEqualTo(replies);
    }
    assertThat(get(ready.group(2), "/metrics")).contains("sluice_io_uring_buffers_exhausted_total");
    assertThat(get(ready.group(2), "/pools")).contains("main");
    assertThat(new ProcessBuilder("kill", "" + gateway.pid()).start().waitFor()).isZero();
    assertThat(gateway.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(log()).contains("stopped").doesNotContain("ERROR").doesNotContain("WARN");
  }

  private static String get(String port, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  /** The profiles that runtimes have by default lack these calls, too. */
  @Test
  void shouldSayThatAProfileForbidsIoUring() throws Exception {
    JsonObject profile = new JsonObject(Files.readString(PROFILE));
    JsonObject group = profile.getJsonArray("syscalls").getJsonObject(0);
    group.put("names", names().stream().filter(name -> !name.startsWith("io_uring_")).toList());
    start(Files.writeString(directory.resolve("profile.json"), profile.encode(), UTF_8));
    assertThat(gateway.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(gateway.exitValue()).as(log()).isNotZero();
    assertThat(log())
        .contains("process.transport: found io_uring, which is not available here (")
        .contains("expected auto or nio");
  }

  /** What a container must not do, no profile of ours allows. */
  @Test
  void shouldAllowNothingThatChangesTheMachine() throws Exception {
    assertThat(names())
        .doesNotHaveDuplicates()
        .contains("io_uring_setup", "io_uring_enter", "io_uring_register")
        .doesNotContain("mount", "umount2", "pivot_root", "setns", "unshare", "chroot", "ptrace")
        .doesNotContain("bpf", "perf_event_open", "kexec_load", "init_module", "finit_module")
        .doesNotContain("keyctl", "add_key", "process_vm_writev", "userfaultfd", "reboot");
    assertThat(names()).isSorted();
  }
}
