package sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.testkit.Patience;

/** Signals to a gateway that is starting. */
class SignalsTest {
  private static final String YAML =
      """
      admin: {bind: 127.0.0.1:0}
      listeners: {main: {bind: 127.0.0.1:0, route: all}}
      routes: {all: [{pool: store}]}
      pools: {store: {protocol: embedded}}
      """;

  private @TempDir Path directory;
  private Path file;
  private Path log;
  private Process gateway;

  /** Starts a gateway whose configuration is a pipe: it waits there until the text is written. */
  @BeforeEach
  void start() throws Exception {
    file = directory.resolve("sluice.yaml");
    log = directory.resolve("log");
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    // nohup ignores the signal for all processes below it
    gateway = ChildGateway.start(file, log, "env", "--default-signal=HUP");
  }

  @AfterEach
  void end() throws Exception {
    gateway.destroyForcibly().waitFor();
  }

  private void signal(String name) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, "" + gateway.pid()).start().waitFor())
        .isZero();
  }

  private String log() throws Exception {
    return Files.readString(log);
  }

  @Test
  void shouldReloadOnASighupThatComesBeforeItIsReady() throws Exception {
    try (OutputStream out = Files.newOutputStream(file)) { // waits for the gateway to open it
      Path next = Files.writeString(directory.resolve("next"), YAML);
      Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
      signal("HUP");
      out.write(YAML.getBytes(UTF_8));
    }
    Patience.within(
        Duration.ofMinutes(2), () -> !gateway.isAlive() || log().contains("reloaded " + file));
    assertThat(gateway.isAlive()).as(log()).isTrue();
    assertThat(log()).containsOnlyOnce("reloaded").contains("ready: main=127.0.0.1:");
    signal("TERM");
    assertThat(gateway.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(gateway.exitValue()).as(log()).isZero();
  }
}
