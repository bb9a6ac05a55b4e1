package sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.OptionSpec;
import sluice.config.Schema;

/** What the command line prints where, and its exit codes. */
@Timeout(300)
class MainTest {
  private static final String GOOD =
      """
      admin: {bind: 127.0.0.1:0}
      listeners:
        cache: {bind: "127.0.0.1:%d", route: cache}
      routes:
        cache:
          - {match: {prefix: "session:"}, pool: sessions, key: {strip: "session:", add: "v2:"}}
          - {match: {prefix: "closed:"}, reject: moved away}
          - {pool: cache}
      pools:
        sessions: {servers: [127.0.0.1:1]}
        cache: {protocol: embedded}
      """;

  @TempDir Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Path good;

  @BeforeEach
  void writeGoodFile() throws IOException {
    good = file(GOOD.formatted(0));
  }

  private Path file(String yaml) throws IOException {
    return Files.writeString(directory.resolve("sluice.yaml"), yaml);
  }

  private int run(Object... arguments) {
    String[] strings = new String[arguments.length];
    for (int i = 0; i < strings.length; i++) {
      strings[i] = arguments[i].toString();
    }
    return new Main(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8))
        .run(strings);
  }

  private String out() {
    return out.toString(UTF_8);
  }

  private String err() {
    return err.toString(UTF_8);
  }

  @Test
  void shouldNameAnUnknownCommandAndThoseThatExist() {
    assertThat(run("rnu")).isEqualTo(2);
    assertThat(err())
        .startsWith("sluice: found the command rnu, expected one of these (did you mean run?):\n");
    assertThat(err()).contains("sluice run [-c FILE]", "sluice check -c FILE", "sluice schema");
    assertThat(out()).isEmpty();
  }

  @Test
  void shouldSayWhereACommandOfAnotherJarIs() {
    assertThat(run("load")).isEqualTo(2);
    assertThat(err())
        .startsWith("sluice: load is in sluice-load's jar, which is not on the class path\n");
  }

  @Test
  void shouldPrintHelpWhenAskedAndCallItWrongWhenNot() {
    assertThat(run("--help")).isZero();
    assertThat(out()).startsWith("usage: sluice COMMAND").contains("\n  sluice run [-c FILE]\n");
    String usage = out();
    out.reset();
    assertThat(run()).isEqualTo(2);
    assertThat(err()).isEqualTo(usage);
    assertThat(out()).isEmpty();
  }

  @Test
  void shouldRefuseAFlagThatRunDoesNotKnow() {
    assertThat(run("run", "--config", good)).isEqualTo(2);
    assertThat(err())
        .isEqualTo("sluice: found run --config " + good + ", expected run [-c FILE]\n");
  }

  @Test
  void shouldRefuseAFlagThatNoCommandIsNamedBefore() {
    assertThat(run("-c", good)).isEqualTo(2);
    assertThat(err()).isEqualTo("sluice: found -c " + good + ", expected COMMAND [ARGUMENT]...\n");
  }

  @Test
  void shouldRefuseAFlagThatIsGivenTwice() {
    assertThat(run("check", "-c", good, "-c", good)).isEqualTo(2);
    assertThat(err())
        .startsWith("sluice: found check -c " + good + " -c ")
        .endsWith(", expected check -c FILE [--format text|json] [--print]\n")
        .hasLineCount(1);
  }

  @Test
  void shouldSayHowAKeyOrAVerbIsExplainedIfNoneIsGiven() {
    assertThat(run("explain", "-c", good, "cache")).isEqualTo(2);
    assertThat(err())
        .endsWith(
            ", expected explain -c FILE LISTENER COMMAND KEY [CLIENT] [--token TOKEN],"
                + " or explain -c FILE LISTENER VERB\n")
        .hasLineCount(1);
  }

  @Test
  void shouldTakeOptionsBehindTheWordsToo() {
    assertThat(run("explain", "cache", "mg", "k", "--token", "Pa", "-c", good)).isZero();
    assertThat(out()).contains("rule:   2: everything");
  }

  @Test
  void shouldTakeAKeyThatLooksLikeAFlagOrAFileOfArguments() {
    assertThat(run("explain", "-c", good, "cache", "get", "@" + good)).isZero();
    assertThat(run("explain", "-c", good, "cache", "get", "-k")).isEqualTo(2);
    assertThat(run("explain", "-c", good, "cache", "get", "--", "-k")).isZero();
  }

  @Test
  void shouldShowAKeyThatCannotBeOne() {
    assertThat(run("explain", "-c", good, "cache", "get", "a b")).isEqualTo(2);
    assertThat(run("explain", "-c", good, "cache", "get")).isEqualTo(2);
    assertThat(err())
        .isEqualTo(
            """
            sluice: key: found a b, expected 1 to 250 bytes without spaces
            sluice: key: found nothing, expected 1 to 250 bytes without spaces
            """);
  }

  @Test
  void shouldNameTheProxiesWhoseFilesCanBeImported() {
    assertThat(run("import", "squid", good)).isEqualTo(2);
    assertThat(err())
        .isEqualTo("sluice: import: PROXY: found squid, expected twemproxy or mcrouter\n");
  }

  @Test
  void shouldSayHowAFileIsImportedIfNoneIsGiven() {
    assertThat(run("import", "twemproxy")).isEqualTo(2);
    assertThat(err())
        .isEqualTo(
            "sluice: found import twemproxy,"
                + " expected import twemproxy FILE [--accept-moves],"
                + " or import mcrouter FILE [--accept-moves]\n");
  }

  @Test
  void shouldWriteAConfigurationToBeginWith() throws IOException {
    Path file = directory.resolve("new.yaml");
    assertThat(run("init", file)).isZero();
    assertThat(out())
        .isEqualTo(
            "Wrote %s and %s. Next: sluice run -c %s\n"
                .formatted(file, directory.resolve("sluice.schema.json"), file));
    assertThat(directory.resolve("sluice.schema.json")).hasContent(Schema.json());
    assertThat(file).content().startsWith("# yaml-language-server: $schema=sluice.schema.json\n");
    out.reset();
    assertThat(run("check", "-c", file)).isZero();
    assertThat(out()).isEqualTo("ok: 1 listener, 1 pool\n");
    out.reset();
    assertThat(run("explain", "-c", file, "cache", "get", "a")).isZero();

    Files.writeString(file, "mine");
    assertThat(run("init", file)).isEqualTo(1);
    assertThat(err())
        .isEqualTo("sluice: init: found " + file + ", expected a file that does not exist\n");
    assertThat(file).hasContent("mine");
  }

  @Test
  void shouldSayThatTheDirectoryOfANewConfigurationIsMissing() {
    Path file = directory.resolve("missing/new.yaml");
    assertThat(run("init", file)).isEqualTo(1);
    assertThat(err()).isEqualTo("sluice: init: " + file + ": no such file or directory\n");
  }

  /** What is a comment for the reader to uncomment is right, too. */
  @Test
  void shouldWriteCommentsThatAreAConfiguration() throws IOException {
    Path file = directory.resolve("new.yaml");
    assertThat(run("init", file)).isZero();
    Files.writeString(directory.resolve("users"), "u:p\n");
    String text =
        Files.readString(file)
            .replaceAll("(?m)^ *(protocol: embedded|size: 64MiB)$", "")
            .replaceAll(
                "(?m)^( *)# (servers|timeout|hash|health|retries|auth|- match|  pool|  key|logs):"
                    + " ?",
                "$1$2: ")
            .replace("pools:\n", "pools:\n  sessions: {servers: [10.0.0.9:11211]}\n");
    Files.writeString(file, text);
    out.reset();
    assertThat(run("check", "-c", file)).as(out()).isZero();
    assertThat(out()).isEqualTo("ok: 1 listener, 2 pools\n");
  }

  @Test
  void shouldFailToImportWhatMovesKeysUnlessThatIsAccepted() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("mcrouter.json"),
            """
            {"pools": {"a": {"servers": ["10.0.0.1:11211", "10.0.0.2:11211"]}},
             "route": {"type": "HashRoute", "children": "Pool|a", "hash_func": "Crc32"}}
            """);
    assertThat(run("import", "mcrouter", file)).isEqualTo(1);
    assertThat(err())
        .contains("mcrouter.json:2:", "mcrouter places keys by Crc32")
        .endsWith(
            "sluice: import: keys would move to other servers (see above);"
                + " use --accept-moves to allow this\n");
    String printed = out();
    assertThat(printed).contains("distribution: ch3");
    out.reset();
    assertThat(run("import", "mcrouter", file, "--accept-moves")).isZero();
    assertThat(out()).isEqualTo(printed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"version", "--version"})
  void shouldPrintTheVersion(String command) {
    assertThat(run(command)).isZero();
    assertThat(out()).matches("sluice [0-9.]+(-SNAPSHOT)? \\(Java [0-9.+-]+.*\\)\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run",
        "init",
        "demo",
        "check",
        "explain",
        "schema",
        "import",
        "top",
        "version",
        "completion",
        "man"
      })
  void shouldHelpWithEachCommandAsIsDocumented(String command) throws IOException {
    assertThat(run(command, "--help")).isZero();
    assertThat(err()).isEmpty();
    String help = out();
    assertThat(Files.readString(Path.of("../docs/reference/commands.md")))
        .contains("```text\n$ ./sluice " + command + " --help\n" + help + "```\n");
    out.reset();
    assertThat(run("help", command)).isZero();
    assertThat(out()).isEqualTo(help);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "ch, check",
    "t, top torture test",
    "check --f, --format",
    "check --format j, json",
    "import m, mcrouter",
    "check -c sluice.ya, sluice.yaml"
  })
  void shouldCompleteCommandLines(String typed, String expected) throws Exception {
    assertThat(run("completion")).isZero();
    Path script = Files.writeString(directory.resolve("completion"), out());
    Process shell =
        new ProcessBuilder(
                "bash",
                "-c",
                "compopt() { :; }; source %s; COMP_WORDS=(sluice %s); COMP_CWORD=%d; _complete_sluice; echo ${COMPREPLY[*]}"
                    .formatted(script, typed, typed.split(" ").length))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    String completed = new String(shell.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(completed).isEqualTo(expected);
  }

  @Test
  void shouldPrintAManualOfEveryCommandAndOption() {
    assertThat(run("man")).isZero();
    String manual = out();
    assertThat(manual).startsWith(".TH SLUICE 1 ");
    new Main(System.out, System.err)
        .all()
        .getSubcommands()
        .forEach(
            (name, command) -> {
              int start = manual.indexOf("\n.SS " + name + "\n");
              assertThat(start).as(name).isPositive();
              String section = manual.substring(start, manual.indexOf("\n.S", start + 1));
              command.getCommandSpec().options().stream()
                  .filter(option -> !option.usageHelp())
                  .forEach(
                      option ->
                          assertThat(section)
                              .contains("\n.B " + option.longestName().replace("-", "\\-")));
            });
    // A line that begins with one of these is a request to roff.
    assertThat(manual.lines().filter(line -> line.matches("['.].*")))
        .allMatch(line -> line.matches("\\.(TH|SH|SS|TP|PP|B|BR|I|RI|br)( .*)?"));
  }

  @Test
  void shouldNameEveryOptionInTheFormsOfItsCommand() {
    var commands = new Main(System.out, System.err).all().getCommandSpec().subcommands();
    assertThat(commands).hasSize(11);
    commands.forEach(
        (name, command) -> {
          String forms = String.join(" ", CommandLines.forms(command.getCommandSpec()));
          for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.usageHelp()) {
              assertThat(forms).as(name).contains(option.longestName());
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "check", "explain"})
  void shouldRefuseAFlagWithoutItsFile(String command) {
    assertThat(run(command, "-c")).isEqualTo(2);
    assertThat(err()).startsWith("sluice: found " + command + " -c, expected " + command + " ");
  }

  @Test
  void shouldSayWhatAGoodFileConfigures() {
    assertThat(run("check", "-c", good)).isZero();
    assertThat(out()).isEqualTo("ok: 1 listener, 2 pools\n");
    assertThat(err()).isEmpty();
  }

  @Test
  void shouldPrintTheEffectiveConfigurationOfAGoodFile() throws IOException {
    assertThat(run("check", "-c", good, "--print")).isZero();
    assertThat(out()).contains("timeout: ").doesNotContain("ok: ");
    Path printed = file(out());
    out.reset();
    assertThat(run("check", "-c", printed)).isZero();
    assertThat(out()).isEqualTo("ok: 1 listener, 2 pools\n");
  }

  @Test
  void shouldReportAsJson() throws IOException {
    assertThat(run("check", "-c", good, "--format", "json")).isZero();
    JsonObject report = new JsonObject(out());
    assertThat(report.getBoolean("valid")).isTrue();
    assertThat(report.getJsonArray("problems")).isEmpty();
    assertThat(report.getInteger("pools")).isEqualTo(2);
    assertThat(report.containsKey("configuration")).isFalse();

    out.reset();
    assertThat(run("check", "-c", good, "--format", "json", "--print")).isZero();
    assertThat(new JsonObject(out()).getJsonObject("configuration").getJsonObject("pools"))
        .hasSize(2);

    out.reset();
    Path bad = file(GOOD.formatted(0).replace("embedded", "redis"));
    assertThat(run("check", "-c", bad, "--format", "json")).isEqualTo(2);
    report = new JsonObject(out());
    assertThat(report.getBoolean("valid")).isFalse();
    JsonObject problem = report.getJsonArray("problems").getJsonObject(0);
    assertThat(problem.getInteger("line")).isEqualTo(11);
    assertThat(problem.getString("path")).isEqualTo("pools.cache.protocol");
    assertThat(problem.getString("found")).isEqualTo("redis");
    assertThat(err()).isEmpty();
  }

  @Test
  void shouldRefuseAnUnknownFormat() {
    assertThat(run("check", "-c", good, "--format", "xml")).isEqualTo(2);
    assertThat(err()).isEqualTo("sluice: check: --format: found xml, expected text or json\n");
  }

  @Test
  void shouldWarnOnStandardErrorOfAFileThatIsGood() throws IOException {
    Path warned =
        file(
            GOOD.formatted(0)
                .replace("{servers: [127.0.0.1:1]}", "{discover: {dns: \"cache.example:1\"}}"));

    assertThat(run("check", "-c", warned)).isZero();
    assertThat(out()).isEqualTo("ok: 1 listener, 2 pools, 1 warning\n");
    assertThat(err())
        .startsWith("warning: " + warned + ":10:")
        .contains("pools.sessions.discover.dns: found \"cache.example:1\", expected srv")
        .hasLineCount(3);
    out.reset();
    assertThat(run("explain", "-c", warned, "cache", "get", "session:7")).isZero();
    assertThat(out()).contains("server: none yet\n", "discovered by dns cache.example:1\n");
  }

  @Test
  void shouldPrintEveryProblemOfABadFileWithItsPlaceOnStandardOutput() throws IOException {
    Path bad =
        file(
            GOOD.formatted(0)
                .replace("pool: sessions,", "pool: session,")
                .replace("embedded", "redis"));

    assertThat(run("check", "-c", bad)).isEqualTo(2);
    List<String> lines = out().lines().toList();
    assertThat(lines).hasSize(6);
    assertThat(lines.get(0))
        .startsWith(bad + ":6:")
        .contains("routes.cache[0].pool: found session, expected");
    assertPointsAt(lines, 1, "  6 |     - {match: {prefix: \"session:\"}, pool: ", "session,");
    assertThat(lines.get(3))
        .startsWith(bad + ":11:")
        .contains("pools.cache.protocol: found redis, expected");
    assertPointsAt(lines, 4, "  11 |   cache: {protocol: ", "redis}");
    assertThat(err()).isEmpty();
  }

  private static void assertPointsAt(List<String> lines, int at, String before, String wrong) {
    assertThat(lines.get(at)).startsWith(before + wrong);
    assertThat(lines.get(at + 1))
        .isEqualTo(before.replaceAll("[^|]", " ") + "^")
        .hasSize(before.length() + 1);
  }

  @Test
  void shouldNotRunABadFile() throws IOException {
    Path bad = file("listeners: {}\n");

    assertThat(run("run", "-c", bad)).isEqualTo(2);
    assertThat(err()).contains(bad + ":1:", "listeners", "expected");
    assertThat(out()).isEmpty();
  }

  @Test
  void shouldNameAFileThatDoesNotExist() {
    Path missing = directory.resolve("missing.yaml");

    assertThat(run("run", "-c", missing)).isEqualTo(2);
    assertThat(err()).contains(missing.toString()).hasLineCount(1);
  }

  @Test
  void shouldExplainWhichWayARequestTakes() {
    assertThat(run("explain", "-c", good, "cache", "get", "session:7")).isZero();
    assertThat(out())
        .contains("rule:   0: prefix \"session:\"\n")
        .contains("key:    v2:7\n")
        .contains("pool:   sessions\n")
        .contains("server: 127.0.0.1:1\n")
        .contains("then:   no fallback\n")
        .contains("  listener cache has route cache\n");
  }

  @Test
  void shouldExplainWhyARequestIsRefused() {
    assertThat(run("explain", "-c", good, "cache", "set", "closed:1")).isZero();
    assertThat(out())
        .contains("rule 0 does not match: prefix \"session:\"")
        .contains("it rejects with \"moved away\"")
        .doesNotContain("server:");
  }

  @Test
  void shouldExplainWhichWayTheRequestOfAClientTakes() throws IOException {
    Path asking =
        file(
            GOOD.formatted(0)
                .replace(
                    "routes:\n", "routes:\n  asking: [{match: {client: app}, pool: cache}]\n"));
    assertThat(run("explain", "-c", asking, "cache", "get", "k", "app")).isZero();
    assertThat(out()).contains("  the client's certificate names app\n", "server: embedded\n");
  }

  @Test
  void shouldNameTheListenersThatThereAreWhenAskedForAnother() {
    assertThat(run("explain", "-c", good, "cach", "get", "k")).isEqualTo(2);
    assertThat(err()).isEqualTo("sluice: listener: found cach, expected one of cache\n");
  }

  @Test
  void shouldRefuseToExplainWhatIsNoCommand() {
    assertThat(run("explain", "-c", good, "cache", "fetch", "k")).isEqualTo(2);
    assertThat(err()).startsWith("sluice: command: found fetch, expected ").hasLineCount(1);
  }

  /** Such a command goes to several servers: that of a key would be a wrong answer. */
  @ParameterizedTest
  @ValueSource(strings = {"flush_all", "stats", "version", "mn"})
  void shouldRefuseToExplainACommandWithoutAKey(String command) {
    assertThat(run("explain", "-c", good, "cache", command, "k")).isEqualTo(2);
    assertThat(err())
        .startsWith("sluice: command: found " + command + ", expected a command with a key")
        .hasLineCount(1);
    assertThat(run("explain", "-c", good, "cache", command)).isEqualTo(2);
  }

  @Test
  void shouldPrintTheSchemaAsJson() {
    assertThat(run("schema")).isZero();
    assertThat(new JsonObject(out()).getJsonObject("properties").fieldNames())
        .contains("admin", "process", "listeners", "routes", "pools");
  }

  @Test
  void shouldNameTheListenerAndTheAddressThatCannotBeBound() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Path inUse = file(GOOD.formatted(taken.getLocalPort()));

      assertThat(run("run", "-c", inUse)).isEqualTo(1);
      assertThat(err())
          .startsWith(
              "sluice: "
                  + inUse
                  + ":3:17: listeners.cache.bind: cannot bind 127.0.0.1:"
                  + taken.getLocalPort()
                  + ": ")
          .containsIgnoringCase("address already in use")
          .hasLineCount(1);
    }
  }

  @Test
  void shouldNameTheAdminAddressThatCannotBeBound() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      Path inUse =
          file(
              GOOD.formatted(0)
                  .replace("admin: {bind: 127.0.0.1:0}", "admin: {bind: \"" + address + "\"}"));

      assertThat(run("run", "-c", inUse)).isEqualTo(1);
      assertThat(err())
          .startsWith("sluice: " + inUse + ":1:15: admin.bind: cannot bind " + address + ": ")
          .hasLineCount(1);
    }
  }
}
