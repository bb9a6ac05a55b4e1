package sluice.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The decision of load/build.sh whether to build, in a tree of its own and with another Maven. */
@Timeout(60)
class BuildScriptTest {
  private static final List<String> MODULES =
      List.of("names", "codecs", "config", "embedded", "gateway", "load");

  @TempDir Path root;

  @BeforeEach
  void makeTheTree() throws IOException {
    Files.createFile(root.resolve("pom.xml"));
    for (String module : MODULES) {
      Files.createDirectories(root.resolve(module).resolve("src/main"));
      Files.createFile(root.resolve(module).resolve("pom.xml"));
    }
    Files.createFile(source());
    Files.copy(Path.of("build.sh"), root.resolve("load/build.sh"));
    Files.createDirectory(root.resolve("build-tools"));
    Files.copy(Path.of("../build-tools/maven.sh"), root.resolve("build-tools/maven.sh"));
  }

  private Path source() {
    return root.resolve("gateway/src/main/Edited.java");
  }

  private void maven(String body) throws IOException {
    Path maven = Files.createDirectories(root.resolve("bin")).resolve("mvn");
    Files.writeString(maven, "#!/bin/bash\necho run >>runs\n" + body);
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private int build() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", "here=$PWD/load; . load/build.sh; build_load")
            .directory(root.toFile())
            .redirectErrorStream(true)
            .redirectOutput(root.resolve("said").toFile());
    builder
        .environment()
        .merge("PATH", root.resolve("bin").toString(), (old, bin) -> bin + ":" + old);
    int exitCode = builder.start().waitFor();
    assertThat(Files.readAllLines(root.resolve("said"), UTF_8))
        .allMatch(line -> line.startsWith("sluice: building load ("));
    return exitCode;
  }

  private List<String> runs() throws IOException {
    return Files.readAllLines(root.resolve("runs"));
  }

  @Test
  void shouldBuildAgainAfterAnEditWhileMavenRan() throws Exception {
    // Newer than anything before Maven, however coarse the file system's clock is.
    maven(
        "touch began; until [ gateway/src/main/Edited.java -nt began ]; do"
            + " touch gateway/src/main/Edited.java; done\n");
    assertThat(build()).isZero();
    maven("");
    assertThat(build()).isZero();
    assertThat(runs()).hasSize(2);
    assertThat(build()).isZero();
    assertThat(runs()).hasSize(2);
  }

  @Test
  void shouldBuildAgainAfterAFailure() throws Exception {
    maven("exit 1\n");
    assertThat(build()).isEqualTo(1);
    maven("");
    assertThat(build()).isZero();
    assertThat(runs()).hasSize(2);
    assertThat(build()).isZero();
    assertThat(runs()).hasSize(2);
  }
}
