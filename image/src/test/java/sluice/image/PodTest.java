package sluice.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The pod of k8s/overlays/load, of the image that {@code -Dsluice.image=FILE} names. */
@Tag("image")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PodTest {
  private static final String PHASES =
      "{warmUp: 500ms, direct: 500ms, judged: 1s, saturation: 1s, profiled: 2s,"
          + " profiledAllocations: 1s, profiledLocks: 1s}\n"
          + "valid: {rate: 1%, late: 1h, throttled: 100%}\n";

  @TempDir Path directory;
  private Pod pod;
  private Process process;

  @BeforeEach
  void unpack() throws IOException {
    if (Confinement.namespaces("--mount", "--net").isEmpty()) {
      abort("NOT TESTED: the load job's pod. Here no namespaces may be made (unshare)");
    }
    Path file = Path.of(System.getProperty("sluice.image")).toAbsolutePath();
    ImageFile image = new ImageFile(file, Files.createDirectory(directory.resolve("image")));
    Path root = Files.createDirectory(directory.resolve("contents"));
    image.unpack(root);
    pod =
        new Pod(
            Path.of("../k8s/rendered/load-pvc.yaml").toAbsolutePath(),
            Files.createDirectory(directory.resolve("volumes")),
            image,
            root);
  }

  @AfterEach
  void end() throws InterruptedException {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  private void write(String file, String text) throws IOException {
    Files.writeString(pod.volume("plan").resolve(file), text);
  }

  private String run() throws IOException, InterruptedException {
    process = new ProcessBuilder(pod.command()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return said;
  }

  private Map<?, ?> json(String artifact) throws IOException {
    return (Map<?, ?>)
        new Load(LoadSettings.builder().build())
            .loadFromString(Files.readString(pod.volume("artifacts").resolve(artifact)));
  }

  @Test
  void shouldRunThePlanToItsVerdictWithEveryArtifact() throws Exception {
    String plan = Files.readString(pod.volume("plan").resolve("plan.yaml"));
    assertThat(plan).contains("phases: {warmUp:");
    write("plan.yaml", plan.replaceFirst("(?m)^phases: .*$", "phases: " + PHASES));
    write("budgets.yaml", "{errors: 0%, saturation: 1, gc: 100%, own: 100%}\n");

    String said = run();
    assertThat(process.exitValue()).as(said).isZero();
    assertThat(json("verdict.json").get("verdict")).isEqualTo("passed");
    Map<?, ?> cpu = (Map<?, ?>) json("verdict.json").get("cpu");
    // A gateway that passes on what is small is in the kernel most of the time; so early, its
    // compilers are busy, too. None would mean that calls of the kernel were not known as such.
    assertThat((Double) ((Map<?, ?>) cpu.get("percent")).get("kernel"))
        .as("kernel by %s", cpu.get("engine"))
        .isGreaterThan(5);
    for (String artifact :
        List.of(
            "result.json",
            "latency.hlog",
            "profile.jfr",
            "profile-alloc.jfr",
            "profile-lock.jfr",
            "flame-cpu.html",
            "flame-alloc.html",
            "flame-lock.html",
            "metrics-before.txt",
            "metrics-after.txt",
            "sluice.yaml",
            "env.json")) {
      assertThat(pod.volume("artifacts").resolve(artifact)).isNotEmptyFile();
    }
    Map<?, ?> loads = (Map<?, ?>) json("result.json").get("loads");
    assertThat(loads.keySet().stream().map(Object::toString))
        .containsExactly("text", "meta", "binary", "nodes");
    List<?> flags = (List<?>) json("env.json").get("gatewayFlags");
    assertThat(flags.stream().map(Object::toString)).contains("-XX:+DebugNonSafepoints");
    List<?> own = (List<?>) json("env.json").get("driverFlags");
    assertThat(own.stream().map(Object::toString)).contains("-Xmx256m");
  }

  @Test
  void shouldEndWithWhatItsManifestTakesForABadPlan() throws Exception {
    write("plan.yaml", "loads: {a: {rate: 0}}\n");
    assertThat(run()).contains("/etc/load/plan.yaml:1:19: loads.a.rate: found 0");
    assertThat(process.exitValue()).isEqualTo(2);
  }
}
