package sluice.advisories;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.gateway.cli.CommandLines;

class MainTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @TempDir private Path directory;

  @BeforeEach
  void setUp() throws IOException {
    Files.writeString(directory.resolve("exceptions.json"), "[]");
    Files.writeString(
        directory.resolve("known.json"),
        """
        {"asOf": "%s", "source": "a test", "packages": ["a:b"], "advisories": []}
        """
            .formatted(LocalDate.now(ZoneOffset.UTC)));
  }

  private int run(String... arguments) {
    try (PrintStream err = new PrintStream(said, true, UTF_8)) {
      return Main.run(err, arguments);
    }
  }

  private String said() {
    return said.toString(UTF_8);
  }

  private String shipped(String name) throws IOException {
    return Files.writeString(directory.resolve("shipped.txt"), "  " + name + ":jar:1.0:compile\n")
        .toString();
  }

  @Test
  void shouldSayWhatWasHeldAgainstWhat() throws IOException {
    assertThat(run("check", shipped("a:b"), directory.toString())).isEqualTo(CommandLines.FINE);
    assertThat(said()).startsWith("[INFO] sluice: 1 parts are shipped, none has one of the 0 ");
  }

  @Test
  void shouldFailOverWhatWasNotLookedUp() throws IOException {
    assertThat(run("check", shipped("a:c"), directory.toString())).isEqualTo(CommandLines.FAILED);
    assertThat(said()).startsWith("[ERROR] sluice: a:c 1.0: its advisories were not looked up yet");
  }

  /** It runs inside of the build, which an exit would end. */
  @Test
  void shouldEndByAnExceptionWhenItFails() throws IOException {
    String list = shipped("a:c");
    assertThatThrownBy(() -> Main.main(new String[] {"check", list, directory.toString()}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("what is shipped has known advisories");
    assertThatThrownBy(() -> Main.main(new String[] {"check"}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the command line is wrong: see above");
    Main.main(new String[] {"check", shipped("a:b"), directory.toString()});
  }

  @Test
  void shouldNameAFileThatIsNotThere() {
    assertThat(run("check", "/nowhere", directory.toString())).isEqualTo(CommandLines.FAILED);
    assertThat(said()).isEqualTo("advisories: /nowhere: no such file or directory\n");
  }

  @Test
  void shouldSayHowItIsUsed() {
    assertThat(run("renew", "list", "directory")).isEqualTo(CommandLines.WRONG);
    assertThat(run("check", "list")).isEqualTo(CommandLines.WRONG);
    assertThat(run("check", "list", "directory", "--all")).isEqualTo(CommandLines.WRONG);
    assertThat(said())
        .isEqualTo(
            """
            advisories: check|update: found renew, expected check or update
            advisories: found advisories check list, expected advisories check|update LIST DIRECTORY
            advisories: found advisories check list directory --all, expected advisories check|update LIST DIRECTORY
            """);
  }

  @Test
  void shouldHelp() {
    assertThat(run("--help")).isEqualTo(CommandLines.FINE);
    assertThat(said()).startsWith("usage: advisories check|update LIST DIRECTORY\n");
  }
}
