package sluice.dist;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archives, unpacked where nothing is on the PATH but what every system has, and for one of
 * them Java. The time until the first answer is written to {@code target/first-answer.txt}.
 */
@Tag("dist")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ArchiveTest {
  private static final Pattern READY = Pattern.compile(" ready: cache=\\S+:(\\d+) ");
  private static final List<String> TOOLS =
      List.of("sh", "dirname", "readlink", "sed", "head", "cat", "ls", "paste");

  @TempDir Path directory;

  private Path path;
  private Path configuration;
  private @Nullable Process process;

  @BeforeEach
  void prepare() throws IOException {
    path = Files.createDirectory(directory.resolve("path"));
    for (String tool : TOOLS) {
      Files.createSymbolicLink(path.resolve(tool), onPath(tool));
    }
    configuration =
        Files.writeString(
            directory.resolve("sluice.yaml"),
            """
            admin: {bind: "127.0.0.1:0"}
            process: {drain: 2s}
            listeners: {cache: {bind: "127.0.0.1:0", route: cache}}
            routes: {cache: [{pool: cache}]}
            pools: {cache: {protocol: embedded, size: 16MiB}}
            """);
  }

  @AfterEach
  void end() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  private static Path onPath(String tool) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(each -> Path.of(each, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  private void addJava() throws IOException {
    Files.createSymbolicLink(
        path.resolve("java"), Path.of(System.getProperty("java.home"), "bin", "java"));
  }

  private Path unpack(Path archive) throws IOException {
    Path to = Files.createDirectory(directory.resolve("unpacked"));
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", to.toString())
            .inheritIO()
            .start();
    assertThat(tar.onExit().join().exitValue()).isZero();
    try (Stream<Path> entries = Files.list(to)) {
      return entries.reduce((one, other) -> fail(one, other)).orElseThrow();
    }
  }

  private static Path fail(Path one, Path other) {
    throw new AssertionError("found " + one + " and " + other + ", expected one directory");
  }

  private Process start(Path program, String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(program.toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().clear();
    builder.environment().put("PATH", path.toString());
    return builder.directory(directory.toFile()).redirectErrorStream(true).start();
  }

  /** What a command that ends with a code prints. */
  private String run(int code, Path program, String... arguments) throws Exception {
    Process command = start(program, arguments);
    String printed = new String(command.getInputStream().readAllBytes(), ISO_8859_1);
    assertThat(command.waitFor()).as(printed).isEqualTo(code);
    return printed;
  }

  private static int port(BufferedReader log) throws IOException {
    StringBuilder printed = new StringBuilder();
    for (String line = log.readLine(); line != null; line = log.readLine()) {
      Matcher ready = READY.matcher(line);
      if (ready.find()) {
        return Integer.parseInt(ready.group(1));
      }
      printed.append(line).append('\n');
    }
    throw new AssertionError("it did not become ready, but printed:\n" + printed);
  }

  private static String ask(int port, String requests) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(requests.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private void shouldAnswer(Path archive) throws Exception {
    long began = System.nanoTime();
    Path home = unpack(archive);
    process = start(home.resolve("bin/sluice"), "run", "-c", configuration.toString());
    BufferedReader log = process.inputReader(ISO_8859_1);
    String reply = ask(port(log), "set a 0 0 5\r\nhello\r\nget a\r\nquit\r\n");
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    assertThat(reply).isEqualTo("STORED\r\nVALUE a 0 5\r\nhello\r\nEND\r\n");
    Files.writeString(
        Files.createDirectories(Path.of("target")).resolve("first-answer.txt"),
        "from %s to the first answered get: %d ms%n".formatted(archive.getFileName(), millis),
        java.nio.file.StandardOpenOption.CREATE,
        java.nio.file.StandardOpenOption.APPEND);

    process.toHandle().destroy(); // that of Process closes the log
    log.transferTo(java.io.Writer.nullWriter());
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  @Test
  void shouldNeedNothingButJava() throws Exception {
    addJava();
    shouldAnswer(Distributions.made().archive());
  }

  @Test
  void shouldNeedNothingIfItHasARuntime() throws Exception {
    shouldAnswer(Distributions.made().archiveWithRuntime());
  }

  @Test
  void shouldNameWhatIsMissing() throws Exception {
    Path sluice = unpack(Distributions.made().archive()).resolve("bin/sluice");
    assertThat(run(1, sluice, "version"))
        .isEqualTo(
            "sluice: found no java; expected a Java 17 or later"
                + " (Debian: apt-get install openjdk-17-jre-headless)\n");
  }

  @Test
  void shouldHoldWhatItsCommandsPrint() throws Exception {
    addJava();
    Path home = unpack(Distributions.made().archive());
    Path link = Files.createSymbolicLink(directory.resolve("link"), home.resolve("bin/sluice"));
    assertThat(run(0, link, "check", "-c", home.resolve("conf/sluice.yaml").toString()))
        .isEqualTo("ok: 1 listener, 1 pool\n");
    assertThat(home.resolve("share/man/man1/sluice.1")).hasContent(run(0, link, "man"));
    assertThat(home.resolve("share/man/man1/sluice.1")).content().contains("\n.SS load\n");
    assertThat(home.resolve("share/bash-completion/completions/sluice"))
        .content()
        .contains("complete -F");
    assertThat(home.resolve("LICENSE")).content().contains("Apache License");
    assertThat(home.resolve("examples/failover.yaml")).exists();
  }
}
