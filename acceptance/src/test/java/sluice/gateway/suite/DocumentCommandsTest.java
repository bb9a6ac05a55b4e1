package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands of the README and of the tutorials, typed as they are written, show what is written
 * below them.
 *
 * <p>A block of {@code console} is typed: {@code ./sluice run} in a first terminal, where it stays
 * until the next one, everything else in a second. A block of {@code yaml} after a sentence that
 * ends with a file's name is that file. The documents' address, 127.0.0.1, becomes another one of
 * the loopback network, because the ports may be in use.
 */
class DocumentCommandsTest {
  private static final Path ROOT = Path.of("..");
  private static final String ADDRESS = "127.0.0.1";
  private static final String TOP = "./sluice top";

  /** The machine may be busy: servers get more time than they have by default. */
  private static final String PATIENCE =
      "    timeout: 30s\n    connections: {connectTimeout: 30s}\n";

  @TempDir private Path directory;
  private final String address = unusedAddress();
  private @Nullable DocumentTerminal first;
  private DocumentTerminal second;

  static List<Path> documents() throws IOException {
    try (Stream<Path> tutorials = Files.list(ROOT.resolve("docs/tutorials"))) {
      return Stream.concat(Stream.of(ROOT.resolve("README.md")), tutorials.sorted()).toList();
    }
  }

  private static String unusedAddress() {
    long number = ProcessHandle.current().pid();
    return "127." + (64 + number % 128) + "." + number / 128 % 256 + ".9";
  }

  @BeforeEach
  void openTerminal() throws IOException {
    assumeFalse(GatewayUnderTest.isDirect());
    Path launcher = directory.resolve("sluice");
    Files.writeString(
        launcher,
        "#!/bin/sh\nexec '%s' -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '%s' %s \"$@\"\n"
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                "sluice.gateway.cli.Main"));
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
    second = new DocumentTerminal(directory, address);
  }

  @AfterEach
  void closeTerminals() {
    if (first != null) {
      first.close();
    }
    second.close();
  }

  @ParameterizedTest
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // a JVM for each ./sluice
  @MethodSource("documents")
  void shouldShowWhatTheirCommandsPrint(Path document) throws Exception {
    String text = Files.readString(document);
    List<DocumentSteps.Step> steps = DocumentSteps.of(text.replace(ADDRESS, address));
    assertThat(steps).hasSizeGreaterThan(5);
    for (DocumentSteps.Step step : steps) {
      String problem = perform(step);
      assertThat(problem == null ? "" : problem.replace(address, ADDRESS)).isEmpty();
    }
  }

  private @Nullable String perform(DocumentSteps.Step step) throws Exception {
    if (step instanceof DocumentSteps.WriteFile file) {
      // The admin port's default address would be the machine's own.
      boolean bound = file.content().contains("\nadmin:");
      String admin = bound ? "" : "admin: {bind: " + address + ":9901}\n";
      String patient = file.content().replace("    servers:", PATIENCE + "    servers:");
      Files.writeString(directory.resolve(file.name()), patient + admin);
      return null;
    }
    if (step instanceof DocumentSteps.Watch watch) {
      return first.awaitLines(watch.output());
    }
    DocumentSteps.Type typed = (DocumentSteps.Type) step;
    if (!typed.command().startsWith("./sluice run")) {
      String difference = second.difference(typed.command(), typed.output());
      // What it shows is of this moment: a busy machine may need another one.
      for (int i = 0; i < 20 && difference != null && typed.command().startsWith(TOP); i++) {
        difference = second.difference(typed.command(), typed.output());
      }
      return difference;
    }
    if (first != null) {
      first.close();
    }
    first = new DocumentTerminal(directory, address);
    first.start(typed.command());
    return first.awaitLines(typed.output());
  }

  @Test
  void shouldNoticeOutputThatIsNotShown() throws Exception {
    assertThat(second.difference("echo one; echo two", List.of("one"))).contains("two");
    assertThat(second.difference("echo one", List.of("two"))).contains("one");
    assertThat(second.difference("echo one more", List.of("one ..."))).isNull();
  }
}
