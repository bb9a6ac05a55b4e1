package sluice.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.plan.LoadBudgets;
import sluice.config.plan.LoadPlan;
import sluice.config.plan.PlanReader;
import sluice.load.process.GatewayCommand;
import sluice.load.process.Memcached;
import sluice.load.process.Ports;

/** Whole runs, short ones, through a gateway in a process of its own. */
@Timeout(300)
class LoadTest {
  @TempDir Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private int run(Object... arguments) throws Exception {
    String[] strings = new String[arguments.length];
    for (int i = 0; i < strings.length; i++) {
      strings[i] = arguments[i].toString();
    }
    return LoadCommand.run(new PrintStream(out, true, UTF_8), strings);
  }

  private String artifact(String name) throws IOException {
    return Files.readString(directory.resolve("artifacts").resolve(name));
  }

  @Test
  void shouldDriveProfileAndJudgeWithEveryArtifact() throws Exception {
    Path plan =
        file(
            "plan.yaml",
            """
            loads:
              text: {dialect: text, rate: 400, connections: 3}
              meta: {dialect: meta, rate: 400, connections: 2, values: 2KiB, gets: 50%}
              binary: {dialect: binary, rate: 400, connections: 2}
              nodes: {protocol: internode, rate: 100, connections: 2, framing: lz4, payloadUpTo: 80KiB}
            phases: {warmUp: 300ms, direct: 500ms, judged: 1s, saturation: 500ms, profiled: 1s, profiledAllocations: 1s, profiledLocks: 1s}
            valid: {rate: 1%, late: 1h, throttled: 100%}  # the machine may be busy
            """);
    Path budgets =
        file(
            "budgets.yaml",
            "{saturation: 1, errors: 0%, bytesPerRequest: 0B, gc: 100%, own: 100%}\n");
    Path artifacts = directory.resolve("artifacts");
    int exitCode = run("--plan", plan, "--budgets", budgets, "--artifacts", artifacts);
    String said = out.toString(UTF_8);
    assertThat(exitCode).as(said).isEqualTo(3); // nothing allocates nothing
    JsonObject verdict = new JsonObject(artifact("verdict.json"));
    assertThat(said.lines().reduce((before, last) -> last).orElseThrow())
        .isEqualTo(verdict.encode());
    assertThat(verdict.getString("verdict")).isEqualTo("over budget");
    assertThat(verdict.getJsonArray("checks").stream().map(JsonObject.class::cast))
        .filteredOn(check -> !check.getBoolean("passed"))
        .extracting(check -> check.getString("name"))
        .containsExactly("bytesPerRequest");
    JsonObject cpu = verdict.getJsonObject("cpu");
    assertThat(cpu.getString("engine")).isIn("perf_events", "ctimer", "itimer");
    assertThat(cpu.getLong("samples")).isPositive();
    assertThat(cpu.getJsonObject("percent").getDouble("kernel")).isPositive();

    JsonObject loads = new JsonObject(artifact("result.json")).getJsonObject("loads");
    assertThat(loads.fieldNames()).containsExactly("text", "meta", "binary", "nodes");
    for (String load : loads.fieldNames()) {
      for (String phase : List.of("direct", "judged", "saturation", "profiled")) {
        JsonObject seen = loads.getJsonObject(load).getJsonObject(phase);
        assertThat(seen.getLong("answered")).as(load + ", " + phase).isPositive();
        assertThat(seen.getLong("errors")).as(load + ", " + phase).isZero();
      }
    }
    try (HistogramLogReader log =
        new HistogramLogReader(artifacts.resolve("latency.hlog").toFile())) {
      List<String> tags = new ArrayList<>();
      for (EncodableHistogram each; (each = log.nextIntervalHistogram()) != null; ) {
        tags.add(each.getTag());
      }
      assertThat(tags).hasSize(12).contains("text-direct", "nodes-judged", "binary-profiled");
    }
    assertThat(artifact("flame-cpu.html")).contains("<canvas");
    assertThat(frames(artifact("flame-cpu.html")))
        .anyMatch(frame -> frame.startsWith("sluice/gateway/"));
    assertThat(artifact("flame-alloc.html")).contains("<canvas");
    assertThat(artifact("flame-lock.html")).contains("<canvas");
    assertThat(Files.size(artifacts.resolve("profile.jfr"))).isPositive();
    Metrics before = new Metrics(artifact("metrics-before.txt"));
    Metrics after = new Metrics(artifact("metrics-after.txt"));
    assertThat(after.sum("sluice_requests_total"))
        .isGreaterThan(before.sum("sluice_requests_total"));
    LoadResult configuration = Loader.load(artifacts.resolve("sluice.yaml"));
    assertThat(configuration.problems()).isEmpty();
    JsonObject environment = new JsonObject(artifact("env.json"));
    assertThat(environment.getJsonObject("profilingEngines").getString("cpu"))
        .isEqualTo(cpu.getString("engine"));
    assertThat(environment.getJsonArray("gatewayFlags")).contains("-XX:+UseSerialGC");
    assertThat(environment.getString("gatewayKernel")).contains(environment.getString("kernel"));
  }

  /**
   * Titles of a flame graph's frames: each is written as how many characters it shares with the one
   * before it, as a character behind the space, and the rest.
   */
  private static List<String> frames(String flameGraph) {
    int from = flameGraph.indexOf("cpool = [");
    String pool = flameGraph.substring(from, flameGraph.indexOf("];", from));
    List<String> frames = new ArrayList<>();
    String before = "";
    Matcher titles = Pattern.compile("(?m)^'(.*)',?$").matcher(pool);
    while (titles.find()) {
      String title = titles.group(1).replaceAll("\\\\(.)", "$1");
      int shared = frames.isEmpty() ? 0 : title.charAt(0) - ' ';
      before = frames.isEmpty() ? title : before.substring(0, shared) + title.substring(1);
      frames.add(before);
    }
    return frames;
  }

  @Test
  void shouldCallARunInvalidWhoseRateCannotBeReached() throws Exception {
    Path plan =
        file(
            "plan.yaml",
            """
            loads: {text: {rate: 10000000, connections: 1}}
            phases: {warmUp: 0ms, direct: 200ms, judged: 200ms, saturation: 100ms, profiled: 1s, profiledAllocations: 1s, profiledLocks: 1s}
            """);
    Path artifacts = directory.resolve("artifacts");
    assertThat(run("--plan", plan, "--artifacts", artifacts)).as(out.toString(UTF_8)).isEqualTo(4);
    assertThat(artifact("verdict.json")).contains("planned requests were sent", "\"invalid\"");
  }

  @Test
  void shouldCallARunInvalidWhoseReferenceWasThrottled() throws Exception {
    Path plan =
        file(
            "plan.yaml",
            """
            loads: {text: {rate: 100, connections: 1}}
            phases: {warmUp: 0ms, direct: 200ms, judged: 200ms, saturation: 100ms, profiled: 1s, profiledAllocations: 1s, profiledLocks: 1s}
            valid: {rate: 1%, late: 1h}
            """);
    Iterator<Throttling> driver =
        List.of(
                new Throttling(0, 0), // before and after the direct phase
                new Throttling(100, 100),
                new Throttling(200, 100), // before and after the judged phase
                new Throttling(300, 100))
            .iterator();
    LoadPlan read = PlanReader.plan(plan).plan();
    Path artifacts = Files.createDirectory(directory.resolve("artifacts"));
    PrintStream said = new PrintStream(out, true, UTF_8);
    new LoadJob(read, LoadBudgets.none(), artifacts, said, driver::next).run();
    assertThat(artifact("verdict.json"))
        .contains("100.00% of the CPU quota's periods were throttled", "\"invalid\"");
  }

  /** The gateway of k8s/overlays/load, as far as its files say, at other ports. */
  @Test
  void shouldMeasureAGatewayThatRunsAlready() throws Exception {
    Path pod = Path.of("..", "k8s", "overlays", "load", "job");
    Ports ports = new Ports();
    Map<String, String> moved = new HashMap<>();
    try (Memcached memcached = new Memcached(ports.next())) {
      moved.put("11211", Integer.toString(memcached.address().getPort()));
      String gateway =
          Files.readString(pod.resolve("sluice.yaml")).replace("${env:EVENT_LOOPS}", "1");
      String plan = Files.readString(pod.resolve("plan.yaml"));
      Path configuration = file("gateway.yaml", move(gateway, moved, ports));
      Path moving = file("plan.yaml", shortened(move(plan, moved, ports)));
      Process process = start(configuration);
      try {
        Path artifacts = directory.resolve("artifacts");
        int exitCode = run("--plan", moving, "--artifacts", artifacts);
        assertThat(exitCode).as(out.toString(UTF_8)).isZero();
        assertThat(new JsonObject(artifact("result.json")).getJsonObject("loads").fieldNames())
            .containsExactly("text", "meta", "binary", "nodes");
        assertThat(new JsonObject(artifact("env.json")).getJsonArray("gatewayFlags"))
            .contains("-XX:+UnlockDiagnosticVMOptions", "-XX:+UseSerialGC");
        assertThat(process.isAlive()).isTrue(); // it is not the load's to end
      } finally {
        process.destroy();
        assertThat(process.waitFor()).isZero();
      }
    }
  }

  private Process start(Path configuration) throws IOException {
    return GatewayCommand.process(configuration, List.of("-XX:+UnlockDiagnosticVMOptions"))
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("gateway.log").toFile())
        .start();
  }

  private static String shortened(String plan) {
    return plan.replaceFirst(
        "(?m)^phases: .*$",
        "phases: {warmUp: 0s, direct: 500ms, judged: 500ms, saturation: 500ms,"
            + " profiled: 1s, profiledAllocations: 1s, profiledLocks: 1s}\n"
            + "valid: {rate: 1%, late: 1h, throttled: 100%}");
  }

  /** The files of k8s/overlays/load-distributed, with addresses of this machine. */
  @Test
  void shouldTakeProfilesOfAGatewayElsewhereByALogin() throws Exception {
    Path overlay = Path.of("..", "k8s", "overlays", "load-distributed");
    String password = "5ad1f00d";
    file("users", "load:" + password + "\n");
    file("password", password);
    file("wrong", password + "x");
    String here = addressOfThisMachine();
    Ports ports = new Ports();
    Map<String, String> moved = new HashMap<>();
    String gateway =
        here(overlay.resolve("sluice.yaml"), "127.0.0.1").replace("${env:EVENT_LOOPS}", "1");
    moved.put("11211", Integer.toString(ports.next())); // the gateway's
    String listening = move(gateway.replaceFirst("\"127.0.0.1:11211\"", "SERVER"), moved, ports);
    try (Memcached memcached = new Memcached(ports.next())) {
      String server = "127.0.0.1:" + memcached.address().getPort();
      Path configuration = file("gateway.yaml", listening.replace("SERVER", "\"" + server + "\""));
      String plan =
          shortened(
              move(here(overlay.resolve("plan.yaml"), here), moved, ports)
                  .replaceFirst("(?m)^memcached: .*$", "memcached: " + server));
      Process process = start(configuration);
      Path artifacts = directory.resolve("artifacts");
      try {
        Path wrong = file("wrong.yaml", plan.replace("/password", "/wrong"));
        assertThat(run("--plan", wrong, "--artifacts", artifacts)).isOne();
        assertThat(artifact("verdict.json"))
            .contains("accepts no profiles for load with this password (401)");
        if (!here.equals("127.0.0.1")) { // from there, nobody needs a login
          Path none = file("none.yaml", plan.replaceAll("(?m)^  (user|passwordFile): .*\n", ""));
          assertThat(run("--plan", none, "--artifacts", artifacts)).isOne();
          assertThat(artifact("verdict.json"))
              .contains("with a login (401): gateway.user and gateway.passwordFile of the plan");
        }
        assertThat(artifacts.resolve("result.json")).doesNotExist(); // before any load

        Path right = file("plan.yaml", plan);
        int exitCode = run("--plan", right, "--artifacts", artifacts);
        assertThat(exitCode).as(out.toString(UTF_8)).isZero();
        assertThat(new JsonObject(artifact("result.json")).getJsonObject("loads").fieldNames())
            .containsExactly("text", "meta", "binary");
      } finally {
        process.destroy();
        assertThat(process.waitFor()).isZero();
      }
      assertThat(Files.readString(directory.resolve("gateway.log")))
          .contains("POST /profile by load")
          .doesNotContain(password);
      assertThat(out.toString(UTF_8)).doesNotContain(password);
      try (Stream<Path> files = Files.list(artifacts)) {
        for (Path file : files.toList()) {
          assertThat(Files.readString(file, ISO_8859_1)).as("%s", file).doesNotContain(password);
        }
      }
    }
  }

  private String here(Path file, String address) throws IOException {
    return Files.readString(file)
        .replaceAll("sluice-load-(gateway|memcached)(?=:)", address)
        .replace("/etc/sluice-load-admin", directory.toString());
  }

  /**
   * An address that is not loopback: the gateway takes its clients for those of another machine.
   */
  private static String addressOfThisMachine() throws SocketException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(Inet4Address.class::isInstance)
        .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
        .map(InetAddress::getHostAddress)
        .findFirst()
        .orElse("127.0.0.1");
  }

  /** The text with a free port for each that it names; the same one for the same. */
  private static String move(String text, Map<String, String> moved, Ports ports)
      throws IOException {
    Matcher port = Pattern.compile("(?<=:)\\d{4,5}\\b").matcher(text);
    StringBuilder result = new StringBuilder();
    while (port.find()) {
      if (!moved.containsKey(port.group())) {
        moved.put(port.group(), Integer.toString(ports.next()));
      }
      port.appendReplacement(result, moved.get(port.group()));
    }
    return port.appendTail(result).toString();
  }

  @ParameterizedTest(name = "{2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "127.0.0.1:1       | 127.0.0.1:1    | gateway's admin port did not answer within 300 ms",
        "127.0.0.1:1       | 127.0.0.1:LIVE | server behind the gateway accepts no connections",
        "nowhere.invalid:1 | 127.0.0.1:LIVE | no such host within 300 ms: nowhere.invalid:1"
      })
  void shouldFailWhereNothingListens(String memcached, String admin, String problem)
      throws Exception {
    HttpServer live =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    live.createContext(
        "/live",
        pending -> {
          pending.sendResponseHeaders(200, -1);
          pending.close();
        });
    live.start();
    try {
      Path plan =
          file(
              "plan.yaml",
              """
              startTimeout: 300ms
              memcached: %s
              gateway: {memcached: 127.0.0.1:1, admin: "%s"}
              loads: {text: {rate: 10}}
              """
                  .formatted(
                      memcached,
                      admin.replace("LIVE", Integer.toString(live.getAddress().getPort()))));
      assertThat(run("--plan", plan, "--artifacts", directory.resolve("artifacts"))).isOne();
      assertThat(artifact("verdict.json")).contains(problem);
    } finally {
      live.stop(0);
    }
  }

  @Test
  void shouldRefuseCommandLinesAndFilesThatAreWrong() throws Exception {
    assertThat(run("--plan", "x")).isEqualTo(2);
    assertThat(run("--plan")).isEqualTo(2);
    assertThat(run("--plan", "x", "--plan", "y", "--artifacts", directory)).isEqualTo(2);
    assertThat(run("--budget", "x")).isEqualTo(2);
    Path plan = file("plan.yaml", "loads: {a: {rate: 0}}\nphase: {}\n");
    out.reset();
    assertThat(run("--plan", plan, "--artifacts", directory)).isEqualTo(2);
    assertThat(out.toString(UTF_8))
        .isEqualTo(
            plan
                + ":1:19: loads.a.rate: found 0, expected 1 to 10000000\n"
                + plan
                + ":2:1: phase: found an unknown key, expected gateway, memcached, nodes,"
                + " eventLoops, startTimeout, loads, phases, valid (did you mean phases?)\n");
    out.reset();
    assertThat(run("--plan", plan, "--artifacts", directory, "--hold", "1m")).isEqualTo(2);
    assertThat(out.toString(UTF_8))
        .isEqualTo("sluice: load: --hold: found 1m, expected 0 to 999999\n");
    out.reset();
    assertThat(run("--plan", plan)).isEqualTo(2);
    assertThat(out.toString(UTF_8))
        .isEqualTo(
            "sluice: found load --plan "
                + plan
                + ", expected load --plan FILE [--budgets FILE] --artifacts DIR"
                + " [--hold SECONDS [--at HOST:PORT]]\n");
  }

  @Test
  void shouldHelpAsIsDocumented() throws Exception {
    assertThat(run("--help")).isZero();
    assertThat(Files.readString(Path.of("../docs/reference/commands.md")))
        .contains("```text\n$ ./sluice load --help\n" + out.toString(UTF_8) + "```\n");
  }
}
