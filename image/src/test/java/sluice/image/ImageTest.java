package sluice.image;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code -Dsluice.image=FILE} names the image, which {@code build-tools/test} has just made. */
@Tag("image")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ImageTest {
  private static final Pattern READY =
      Pattern.compile(" ready: cache=\\S+:(\\d+) admin=\\S+:(\\d+)");

  @TempDir static Path directory;
  private static Path file;
  private static ImageFile image;
  private static Path root;

  private Process process;

  @BeforeAll
  static void unpack() throws IOException {
    file = Path.of(System.getProperty("sluice.image")).toAbsolutePath();
    image = new ImageFile(file, Files.createDirectory(directory.resolve("image")));
    root = Files.createDirectory(directory.resolve("contents"));
    image.unpack(root);
  }

  @AfterEach
  void end() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void shouldBeNobodysAndNameItsArchitecture() {
    assertThat(image.container().get("User")).isEqualTo("65532:65532");
    assertThat(image.architecture())
        .isEqualTo(Map.of("aarch64", "arm64").getOrDefault(System.getProperty("os.arch"), "amd64"));
    assertThat(image.tag()).startsWith("sluice:").doesNotEndWith(":latest");
  }

  /** Without it glibc's arenas keep memory that was taken for a moment. */
  @Test
  void shouldKeepGlibcToOneArena() {
    assertThat((List<?>) image.container().get("Env")).asString().contains("MALLOC_ARENA_MAX=1");
  }

  /** Nobody reaches the loopback address of a container. */
  @Test
  void shouldServeAllThatReachItUnlessItIsToldOtherwise() {
    assertThat((List<?>) image.container().get("Cmd")).asString().isEqualTo("[run]");
    assertThat((List<?>) image.container().get("Env")).asString().contains("SLUICE_BIND=0.0.0.0");
  }

  @Test
  void shouldHoldNothingToExecuteButJavaAndNothingSomebodyElseMayChange() throws IOException {
    List<String> executable;
    try (Stream<Path> files = Files.walk(root)) {
      executable =
          files
              .filter(path -> Files.isRegularFile(path) && Files.isExecutable(path))
              .map(path -> root.relativize(path).toString())
              .filter(ImageTest::isExecutableForAll)
              .toList();
    }
    assertThat(executable)
        .allMatch(
            path ->
                path.matches(
                    "jre/bin/(java|jfr|keytool|jrunscript)|jre/lib/(jspawnhelper|jexec)|lib(64)?/ld-linux-.*"));
    try (Stream<Path> files = Files.walk(root)) {
      assertThat(files.filter(path -> !path.equals(root)).filter(ImageTest::othersMayWrite))
          .containsExactly(root.resolve("tmp"));
    }
  }

  /** A runtime copies the mode to the tmpfs of {@code --tmpfs /tmp}, whose owner is root. */
  @Test
  void shouldLetItsUserWriteToATmpfsOnTmp() {
    assertThat(permissions(root.resolve("tmp")))
        .containsExactlyInAnyOrder(PosixFilePermission.values());
  }

  private static boolean isExecutableForAll(String path) {
    return permissions(root.resolve(path)).contains(PosixFilePermission.OTHERS_EXECUTE);
  }

  private static boolean othersMayWrite(Path path) {
    return permissions(path).contains(PosixFilePermission.OTHERS_WRITE);
  }

  private static java.util.Set<PosixFilePermission> permissions(Path path) {
    try {
      return Files.getPosixFilePermissions(path);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void shouldServeWithoutRightsOnAFileSystemThatIsReadOnly() throws Exception {
    Path configuration = Files.createDirectory(directory.resolve("configuration"));
    Files.writeString(
        configuration.resolve("sluice.yaml"),
        """
        admin: {bind: "127.0.0.1:0"}
        process: {drain: 2s}
        listeners: {cache: {bind: "127.0.0.1:0", route: cache}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {protocol: embedded, size: 16MiB}}
        """);
    Confinement confinement = confinement();
    process =
        new ProcessBuilder(
                confinement.command(
                    configuration,
                    // Ends at once if the archive of classes is not of this runtime and these jars.
                    List.of("JAVA_TOOL_OPTIONS=" + archiveIsUsed()),
                    List.of("run", "-c", "/etc/sluice/sluice.yaml")))
            .redirectErrorStream(true)
            .start();
    BufferedReader log = process.inputReader(ISO_8859_1);
    Matcher ready = ready(log);
    int admin = Integer.parseInt(ready.group(2));

    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(ready.group(1)))) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write("set a 0 0 5\r\nhello\r\nget a\r\nquit\r\n".getBytes(ISO_8859_1));
      assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
          .isEqualTo("STORED\r\nVALUE a 0 5\r\nhello\r\nEND\r\n");
    }
    assertThat(get(admin, "/live")).isEqualTo(200);
    assertThat(get(admin, "/ready")).isEqualTo(200);
    assertThat(get(admin, "/metrics")).isEqualTo(200);
    // Its library is unpacked into /tmp and finds all that it links.
    assertThat(post(admin, "/profile?event=cpu&seconds=1&format=collapsed")).isEqualTo(200);

    long pid = confinement.pid(process);
    Map<String, String> status = status(pid);
    assertThat(status.get("Uid").split("\\s+")).containsOnly("65532");
    assertThat(status.get("Gid").split("\\s+")).containsOnly("65532");
    assertThat(mountOptions(pid, "/")).contains("ro");

    terminate(confinement);
    log.transferTo(java.io.Writer.nullWriter());
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  @Test
  void shouldRefuseWhatIsWrongAsTheCommandLineDoes() throws Exception {
    Path configuration = Files.createDirectory(directory.resolve("wrong"));
    Files.writeString(
        configuration.resolve("sluice.yaml"), "listeners: {cache: {bind: nowhere}}\n");
    process =
        new ProcessBuilder(
                confinement()
                    .command(
                        configuration,
                        List.of(),
                        List.of("check", "-c", "/etc/sluice/sluice.yaml")))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), ISO_8859_1);
    assertThat(said).contains("/etc/sluice/sluice.yaml:1:").contains("listeners.cache.bind");
    assertThat(process.waitFor()).isEqualTo(2);
  }

  private static Confinement confinement() throws IOException {
    return Confinement.find(image, file, root)
        .orElseGet(
            () ->
                abort(
                    "NOT TESTED: whether the image runs. Here is neither a container runtime"
                        + " (podman, docker) nor may namespaces be made (unshare)"));
  }

  private static String archiveIsUsed() throws IOException {
    String arguments = Files.readString(root.resolve("app/arguments"));
    return arguments.contains("-XX:AOTCache=") ? "-XX:AOTMode=on" : "-Xshare:auto";
  }

  private static Matcher ready(BufferedReader log) throws IOException {
    StringBuilder said = new StringBuilder();
    for (String line = log.readLine(); line != null; line = log.readLine()) {
      Matcher ready = READY.matcher(line);
      if (ready.find()) {
        return ready;
      }
      said.append(line).append('\n');
    }
    throw new AssertionError("it did not become ready, but said:\n" + said);
  }

  private static int get(int port, String path) throws IOException, InterruptedException {
    return send(port, path, HttpRequest.newBuilder().GET());
  }

  private static int post(int port, String path) throws IOException, InterruptedException {
    return send(port, path, HttpRequest.newBuilder().POST(HttpRequest.BodyPublishers.noBody()));
  }

  private static int send(int port, String path, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            request.uri(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static Map<String, String> status(long pid) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
      return lines
          .map(line -> line.split(":\\s*", 2))
          .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }
  }

  /** The sixth field of the line of a mount point. */
  private static List<String> mountOptions(long pid, String mountPoint) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/mountinfo"))) {
      UnaryOperator<String> options = line -> line.split(" ")[5];
      return List.of(
          lines
              .filter(line -> line.split(" ")[4].equals(mountPoint))
              .reduce((earlier, later) -> later)
              .map(options)
              .orElseThrow()
              .split(","));
    }
  }

  private void terminate(Confinement confinement) throws IOException {
    ProcessHandle.of(confinement.pid(process)).orElseThrow().destroy();
  }
}
