package sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** A program beside the product has its own name in what it says. */
class CommandLinesTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @Command(
      name = "brew",
      customSynopsis = "brew [--cups N]",
      description = "Makes tea.",
      exitCodeList = "0:it is ready")
  static final class Brew implements Callable<Integer> {
    @Option(
        names = "--cups",
        paramLabel = "N",
        defaultValue = "1",
        converter = CupsConverter.class,
        description = "how many")
    private int cups;

    @Override
    public Integer call() throws IOException {
      throw new IOException("no water for " + cups);
    }
  }

  static final class CupsConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      if (!value.matches("[1-4]")) {
        throw CommandLines.expected("1 to 4");
      }
      return Integer.valueOf(value);
    }
  }

  private int brew(String... arguments) {
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      CommandLine line = CommandLines.of(CommandSpec.forAnnotatedObject(new Brew()), out, out);
      return line.execute(arguments);
    }
  }

  private String said() {
    return said.toString(UTF_8);
  }

  @Test
  void shouldRefuseByTheNameOfTheProgram() {
    assertThat(brew("--sugar")).isEqualTo(CommandLines.WRONG);
    assertThat(said()).isEqualTo("brew: found brew --sugar, expected brew [--cups N]\n");
  }

  @Test
  void shouldQuoteAWrongValueAlone() {
    assertThat(brew("--cups", "9")).isEqualTo(CommandLines.WRONG);
    assertThat(said()).isEqualTo("brew: --cups: found 9, expected 1 to 4\n");
  }

  @Test
  void shouldFailByTheNameOfTheProgram() {
    assertThat(brew()).isEqualTo(CommandLines.FAILED);
    assertThat(said()).isEqualTo("brew: no water for 1\n");
  }

  /** The names of exceptions mean nothing to a user. */
  @Test
  void shouldDescribeFailuresInWords() {
    assertThat(
            Stream.of(
                    new NoSuchFileException("f"),
                    new AccessDeniedException("f"),
                    new FileAlreadyExistsException("f"),
                    new NotDirectoryException("f"),
                    new DirectoryNotEmptyException("f"),
                    new FileSystemLoopException("f"),
                    new FileSystemException("f", null, "Is a directory"),
                    new FileSystemException("f"),
                    new UnknownHostException("h.example"),
                    new IOException("Is a directory"))
                .map(CommandLines::words))
        .containsExactly(
            "f: no such file or directory",
            "f: permission denied",
            "f: it exists already",
            "f: not a directory",
            "f: the directory is not empty",
            "f: too many levels of symbolic links",
            "f: Is a directory",
            "f: it cannot be read or written",
            "h.example: unknown host",
            "Is a directory");
  }

  @Test
  void shouldHelp() {
    assertThat(brew("--help")).isEqualTo(CommandLines.FINE);
    assertThat(said()).startsWith("usage: brew [--cups N]\n\nMakes tea.\n");
  }
}
