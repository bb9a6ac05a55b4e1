package sluice.gateway.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import sluice.config.Schema;

/** {@code sluice init}: a configuration to begin with. */
@Command(
    name = "init",
    customSynopsis = "sluice init [FILE]",
    description = {
      "Writes a commented configuration.",
      "It serves memcached from a store inside the gateway. The JSON Schema is written next to",
      "FILE, so that editors complete and check it. An existing file is never replaced."
    },
    exitCodeList = {
      "0:FILE was written",
      "1:FILE exists, or cannot be written",
      "2:the command line is wrong"
    })
final class InitCommand implements Callable<Integer> {
  /** The name of the schema, as in the first line of the configuration. */
  private static final String SCHEMA = "sluice.schema.json";

  private final PrintStream out;
  private final PrintStream err;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "FILE",
      defaultValue = "sluice.yaml",
      description = "the configuration (default: sluice.yaml)")
  private Path file;

  InitCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() throws IOException {
    try {
      Files.write(file, template(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      err.println("sluice: init: found " + file + ", expected a file that does not exist");
      return CommandLines.FAILED;
    }
    Path schema = file.resolveSibling(SCHEMA);
    if (!Files.exists(schema)) {
      Files.writeString(schema, Schema.json());
    }
    out.println("Wrote " + file + " and " + schema + ". Next: sluice run -c " + file);
    return CommandLines.FINE;
  }

  private static byte[] template() throws IOException {
    try (InputStream in = InitCommand.class.getResourceAsStream("init.yaml")) {
      return Objects.requireNonNull(in, "init.yaml").readAllBytes();
    }
  }
}
