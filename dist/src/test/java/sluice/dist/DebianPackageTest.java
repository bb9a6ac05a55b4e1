package sluice.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Debian package, installed over this machine's files in a namespace of its own: nothing of it
 * remains. What systemd would run is read from the unit.
 */
@Tag("dist")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DebianPackageTest {
  @TempDir Path directory;

  private static boolean succeeds(List<String> words) throws InterruptedException {
    try {
      return new ProcessBuilder(words)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false; // there is no such program
    }
  }

  private static List<String> asRoot() throws InterruptedException {
    for (List<String> prefix : List.of(List.<String>of(), List.of("sudo", "-n"))) {
      List<String> words = new ArrayList<>(prefix);
      words.addAll(List.of("unshare", "--mount", "--net", "dpkg", "--version"));
      if (succeeds(words)) {
        return prefix;
      }
    }
    return abort(
        "NOT TESTED: the Debian package. Here is no dpkg, or no namespaces may be made (unshare)");
  }

  @Test
  void shouldBeInstalledStartedReloadedUpgradedAndRemoved() throws Exception {
    List<String> command = new ArrayList<>(asRoot());
    command.addAll(List.of("unshare", "--mount", "--net", "bash"));
    command.add(Path.of("src/test/resources/sluice/dist/install.sh").toAbsolutePath().toString());
    command.add(Distributions.made().debianPackage().toString());
    command.add(directory.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() == 77) {
      abort("NOT TESTED: the Debian package. " + printed);
    }
    assertThat(process.exitValue()).as(printed).isZero();
    assertThat(printed).endsWith("all steps passed\n");
  }
}
