package sluice.gateway.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.Vectors;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;

/** The dashboard and the alert rules of docs/monitoring ask for metrics that there are. */
class MonitoringTest {
  private static final Path DIRECTORY = Path.of("..", "docs", "monitoring");
  private static final Pattern EXPRESSION =
      Pattern.compile("(?m)^ +expr: (?:>-\\n)?((?:.+\\n)+?) +(?:for|labels):");
  private static final Pattern SELECTOR = Pattern.compile("\\b(sluice_[a-z_]+)(?:\\{([^}]*)\\})?");
  private static final Pattern MATCHER = Pattern.compile("([a-z_]+) *(?:=~|!~|!=|=)");
  private static final Pattern GROUPING =
      Pattern.compile("\\b(?:by|without|on|ignoring) *\\(([^)]*)\\)");

  /** What Prometheus adds to what it scrapes. */
  private static final Set<String> TARGET = Set.of("instance", "job", "namespace");

  @TempDir private static Path temporary;

  /** Labels by metric, of a gateway that runs. */
  private static final Map<String, Set<String>> LABELS = new HashMap<>();

  @BeforeAll
  static void scrape() throws Exception {
    try (RealMemcached memcached = RealMemcached.start();
        ServerSocket node = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Gateway gateway =
          Gateways.start(
                  Loader.parse(
                          "f",
                          """
                          admin: {bind: 127.0.0.1:0}
                          process: {eventLoops: 1, drain: 1s}
                          listeners:
                            cache: {bind: 127.0.0.1:0, route: cache}
                            ring: {bind: 127.0.0.1:0, protocol: internode, route: ring}
                          routes:
                            cache: [{match: {prefix: x}, pool: learned}, {pool: cache}]
                            ring: [{match: {verbs: [MUTATION_REQ]}, reject: no}, {pool: node}]
                          pools:
                            cache: {servers: ["127.0.0.1:%d"], timeout: 30s, connections: {connectTimeout: 30s}}
                            learned: {discover: {elasticache: "127.0.0.1:1"}}
                            node: {protocol: internode, servers: ["127.0.0.1:%d"]}
                          """
                              .formatted(memcached.address().getPort(), node.getLocalPort()))
                      .configuration())
              .await(20, TimeUnit.SECONDS);
      try (Socket client = connect(gateway, "cache")) {
        client.getOutputStream().write("set a 0 0 1\r\nx\r\nget a\r\nquit\r\n".getBytes(UTF_8));
        client.getInputStream().readAllBytes();
        passOneLink(gateway, node);
        for (Scrape.Sample sample : new Scrape(gateway.scrape()).samples()) {
          LABELS
              .computeIfAbsent(sample.name(), n -> new HashSet<>())
              .addAll(sample.labels().keySet());
        }
      } finally {
        gateway.close().await(20, TimeUnit.SECONDS);
      }
    }
  }

  private static Socket connect(Gateway gateway, String listener) throws IOException {
    String[] address = gateway.address(listener).split(":");
    Socket socket = new Socket(address[0], Integer.parseInt(address[1]));
    socket.setSoTimeout(20_000);
    return socket;
  }

  /** What one node once said to another, some of it taken out, has gone through. */
  private static void passOneLink(Gateway gateway, ServerSocket node) throws IOException {
    Vectors.Vector vector = Vectors.named("stream/v12-crc-small-a2b.c2s.bin");
    byte[] bytes = vector.bytes();
    int start = new Initiate().wrap(Unpooled.wrappedBuffer(bytes), 0).length();
    byte[] accept = Arrays.copyOf(Vectors.bytes((String) vector.reply().get("file")), 12);
    try (Socket initiator = connect(gateway, "ring")) {
      initiator.getOutputStream().write(bytes, 0, start);
      try (Socket server = node.accept()) {
        server.setSoTimeout(20_000);
        server.getInputStream().readNBytes(start);
        server.getOutputStream().write(accept);
        initiator.getInputStream().readNBytes(accept.length);
        initiator.getOutputStream().write(bytes, start, bytes.length - start);
        initiator.shutdownOutput();
        server.getInputStream().readAllBytes();
      }
    }
  }

  private static List<String> dashboard() throws Exception {
    JsonObject dashboard =
        new JsonObject(Files.readString(DIRECTORY.resolve("grafana-dashboard.json")));
    List<String> queries = new ArrayList<>();
    for (Object panel : dashboard.getJsonArray("panels")) {
      for (Object target :
          ((JsonObject) panel).getJsonArray("targets", new io.vertx.core.json.JsonArray())) {
        queries.add(((JsonObject) target).getString("expr"));
      }
    }
    assertThat(queries).hasSizeGreaterThan(45);
    return queries;
  }

  private static List<String> alerts() throws Exception {
    List<String> queries = new ArrayList<>();
    Matcher expression = EXPRESSION.matcher(Files.readString(DIRECTORY.resolve("alerts.yaml")));
    while (expression.find()) {
      queries.add(expression.group(1));
    }
    assertThat(queries).hasSize(10);
    return queries;
  }

  private static void shouldBeThere(String query) {
    Set<String> known = new TreeSet<>(TARGET);
    Matcher selector = SELECTOR.matcher(query);
    int selectors = 0;
    while (selector.find()) {
      selectors++;
      Set<String> labels = LABELS.get(selector.group(1));
      assertThat(labels).as("the metric %s of %s", selector.group(1), query).isNotNull();
      known.addAll(labels);
      Matcher matcher = MATCHER.matcher(selector.group(2) == null ? "" : selector.group(2));
      while (matcher.find()) {
        assertThat(matcher.group(1))
            .as("label of %s in %s", selector.group(1), query)
            .matches(label -> labels.contains(label) || TARGET.contains(label));
      }
    }
    assertThat(selectors).as(query).isPositive();
    Matcher grouping = GROUPING.matcher(query);
    while (grouping.find()) {
      assertThat(grouping.group(1).split(" *, *")).as(query).isSubsetOf(known);
    }
  }

  @Test
  void shouldAskForMetricsAndLabelsThatThereAre() throws Exception {
    dashboard().forEach(MonitoringTest::shouldBeThere);
    alerts().forEach(MonitoringTest::shouldBeThere);
  }

  @Test
  void shouldNoticeAMetricOrALabelThatIsNone() {
    for (String wrong :
        List.of(
            "rate(sluice_request_total[5m])",
            "sluice_in_flight{listener=\"cache\"}",
            "sum by (server) (sluice_connections)")) {
      org.assertj.core.api.Assertions.assertThatThrownBy(() -> shouldBeThere(wrong))
          .as(wrong)
          .isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void shouldHaveQueriesThatPrometheusReads() throws Exception {
    StringBuilder rules = new StringBuilder("groups:\n- name: dashboard\n  rules:\n");
    int number = 0;
    for (String query : dashboard()) {
      rules
          .append("  - record: query")
          .append(number++)
          .append("\n    expr: |-\n      ")
          .append(query.replace("$__rate_interval", "5m").replace("$instance", ".*"))
          .append('\n');
    }
    promtool(
        "check", "rules", Files.writeString(temporary.resolve("rules.yaml"), rules).toString());
    promtool("check", "rules", DIRECTORY.resolve("alerts.yaml").toString());
  }

  @Test
  void shouldRaiseItsAlertsWhenTheyAreDueAndNotBefore() throws Exception {
    promtool("test", "rules", DIRECTORY.resolve("alerts_test.yaml").toString());
  }

  private static void promtool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }
}
