package sluice.gateway.page;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;

/** The page of the admin port, in a real browser. Pictures of it are left in target/page. */
class PageTest {
  private static final Path PICTURES = Path.of("target", "page");

  /** What changes although nobody does anything. */
  private static final Set<String> MOVING =
      Set.of(
          "process_uptime_seconds",
          "sluice_memory_used_bytes",
          "sluice_loop_lag_quantile_seconds",
          "sluice_own_time_quantile_seconds",
          "sluice_request_time_quantile_seconds",
          "sluice_rule_request_time_quantile_seconds",
          "sluice_server_time_quantile_seconds");

  private static final Pattern SHOWN = Pattern.compile("([0-9.,]+) ?(\\S*)");
  private static final Map<String, Double> UNITS =
      Map.ofEntries(
          Map.entry("", 1.0),
          Map.entry("/s", 1.0),
          Map.entry("k/s", 1e3),
          Map.entry("M/s", 1e6),
          Map.entry("µs", 1e-6),
          Map.entry("ms", 1e-3),
          Map.entry("s", 1.0),
          Map.entry("min", 60.0),
          Map.entry("%", 0.01),
          Map.entry("B", 1.0),
          Map.entry("KiB", 1024.0),
          Map.entry("MiB", 1048576.0),
          Map.entry("GiB", 1073741824.0),
          Map.entry("B/s", 1.0),
          Map.entry("KiB/s", 1024.0),
          Map.entry("MiB/s", 1048576.0),
          Map.entry("GiB/s", 1073741824.0));

  private static RealMemcached memcached;
  private static Browser browser;
  @TempDir private Path directory;
  private Path file;
  private Gateway gateway;

  @BeforeAll
  static void startBrowser() throws Exception {
    assumeTrue(
        !"none".equals(System.getProperty("sluice.test.browser")),
        "no Chromium can be installed here: THE PAGE IS NOT TESTED");
    memcached = RealMemcached.start();
    browser = Browser.start();
  }

  @AfterAll
  static void stopBrowser() throws Exception {
    if (browser != null) {
      browser.close();
    }
    if (memcached != null) {
      memcached.close();
    }
  }

  @BeforeEach
  void start() throws Exception {
    String server = "127.0.0.1:" + memcached.address().getPort();
    file = directory.resolve("page.yaml");
    Files.writeString(
        file,
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 2, drain: 1s}
        listeners:
          cache: {bind: 127.0.0.1:0, route: cache}
          second: {bind: 127.0.0.1:0, route: cache}
        routes:
          cache:
            - {match: {prefix: "dead:"}, pool: dead}
            - {match: {prefix: "local:"}, pool: local}
            - {match: {prefix: "pair:"}, pool: pair, nearCache: {size: 1MiB, ttl: 1s}}
            - {match: {prefix: "no:"}, reject: not here}
            - {pool: cache}
        pools:
          cache: {servers: ["%1$s"], compression: {above: 1KiB}, timeout: 30s, connections: {connectTimeout: 30s}}
          dead: {servers: ["127.0.0.1:1"]}
          pair: {servers: ["%1$s", "127.0.0.1:2"], health: {failures: 1000}}
          local: {protocol: embedded}
        """
            .formatted(server));
    gateway = Gateways.start(Loader.load(file).configuration(), file).await(20, TimeUnit.SECONDS);
    try (Socket client = connect()) {
      for (int i = 0; i < 60; i++) {
        int length = 1 << (i % 14);
        ask(client, "set key:" + i + " 0 0 " + length + "\r\n" + "x".repeat(length), "STORED");
        ask(client, "get key:" + (i % 7 == 0 ? i : 0), "END");
      }
      for (int i = 0; i < 20; i++) {
        ask(client, "get <b>key&\u00e9</b>", "END");
      }
      ask(client, "set local:1 0 0 3\r\nabc", "STORED");
      ask(client, "get dead:1", null);
      ask(client, "get key:1 local:1 key:2", "END");
    }
  }

  @AfterEach
  void stop() throws Exception {
    browser.open("about:blank"); // which asks a gateway that has gone nothing
    browser.console();
    gateway.close().await(20, TimeUnit.SECONDS);
  }

  private Socket connect() throws Exception {
    String[] address = gateway.address("cache").split(":");
    Socket socket = new Socket(address[0], Integer.parseInt(address[1]));
    socket.setSoTimeout(20_000);
    return socket;
  }

  /** Reads up to the last line of the reply; null: any one line. */
  private static void ask(Socket client, String request, String last) throws Exception {
    client.getOutputStream().write((request + "\r\n").getBytes(ISO_8859_1));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1));
    String line;
    do {
      line = in.readLine();
    } while (last != null && !line.equals(last));
  }

  private String get(String path) {
    return Admin.get(gateway, path);
  }

  private void open() throws Exception {
    browser.look(1200, 900, "light");
    browser.open("http://" + gateway.adminAddress() + "/");
    browser.await("document.body.dataset.scrapes >= 2");
  }

  @Test
  void shouldShowNumbersThatAreThoseOfTheMetrics() throws Exception {
    open();
    browser.click("#live"); // it stands still now
    JsonObject scrapes = (JsonObject) browser.script("return window.sluice");
    Scrape last = new Scrape(scrapes.getString("last"));
    Scrape before = new Scrape(scrapes.getString("before"));
    Scrape now = new Scrape(get("/metrics"));
    JsonArray numbers =
        (JsonArray)
            browser.script(
                "return [...document.querySelectorAll('[data-how]')]"
                    + ".map(e => ({...e.dataset, text: e.textContent}))");
    Set<String> seen = new HashSet<>();
    for (Object each : numbers) {
      JsonObject number = (JsonObject) each;
      String metric = number.getString("metric");
      String how = number.getString("how");
      double shown = Double.parseDouble(number.getString("value"));
      double expected =
          switch (how) {
            case "sum" -> last.sum(metric, labels(number));
            case "max" -> last.max(metric, labels(number));
            case "sums" ->
                Stream.of(metric.split(","))
                    .mapToDouble(one -> orZero(last.sum(one, labels(number))))
                    .sum();
            case "rate" ->
                Math.max(
                        0,
                        last.sum(metric, labels(number))
                            - orZero(before.sum(metric, labels(number))))
                    / scrapes.getDouble("seconds");
            case "bucket" ->
                last.sum(metric, labels(number))
                    - (number.getString("belowLabels").isEmpty()
                        ? 0
                        : last.sum(metric, new JsonObject(number.getString("belowLabels"))));
            case "ratio" ->
                sums(last, metric, number.getString("labels"))
                    / sums(last, number.getString("below"), number.getString("belowLabels"));
            default -> throw new AssertionError(how);
          };
      if (!Double.isNaN(expected)) {
        assertThat(shown).as(number.encode()).isEqualTo(expected, within(1e-12));
      } else {
        assertThat(shown).as(number.encode()).isNaN();
      }
      if (how.equals("sum") && !MOVING.contains(metric)) {
        // boxed: NaN is NaN, then
        assertThat(Double.valueOf(shown))
            .as(number.encode())
            .isEqualTo(Double.valueOf(now.sum(metric, labels(number))));
      }
      shouldRead(number.getString("text"), shown, number);
      seen.add(how + " " + metric);
    }
    assertThat(seen)
        .contains(
            "rate sluice_requests_total",
            "sum sluice_requests_total",
            "sum sluice_own_time_quantile_seconds",
            "rate sluice_rule_matches_total",
            "sum sluice_rule_request_time_quantile_seconds",
            "rate sluice_server_time_seconds_count",
            "sum sluice_reloads_total",
            "max sluice_request_time_quantile_seconds",
            "ratio sluice_requests_total",
            "sum sluice_server_time_quantile_seconds",
            "bucket sluice_value_bytes_bucket",
            "ratio sluice_compression_bytes_total",
            "rate sluice_loop_cpu_seconds_total",
            "sum sluice_memory_used_bytes");
    assertThat(browser.console()).isEmpty();
  }

  private static JsonObject labels(JsonObject number) {
    return new JsonObject(number.getString("labels"));
  }

  private static double orZero(double value) {
    return Double.isNaN(value) ? 0 : value;
  }

  private static double sums(Scrape scrape, String metric, String allLabels) {
    return new JsonArray(allLabels)
        .stream().mapToDouble(l -> orZero(scrape.sum(metric, (JsonObject) l))).sum();
  }

  /** What a person reads is the number, rounded. */
  private static void shouldRead(String text, double value, JsonObject number) {
    if (Double.isNaN(value)) {
      assertThat(text).as(number.encode()).isEqualTo("–");
      return;
    }
    Matcher shown = SHOWN.matcher(text);
    assertThat(shown.matches()).as(number.encode()).isTrue();
    double read = Double.parseDouble(shown.group(1).replace(",", "")) * UNITS.get(shown.group(2));
    boolean time = number.getString("metric").equals("process_uptime_seconds");
    double rounding = UNITS.get(shown.group(2)) / (time ? 1 : 100);
    assertThat(read).as(number.encode()).isCloseTo(value, within(value / 100 + rounding));
  }

  @Test
  void shouldShowStatesReasonsAndHotKeys() throws Exception {
    open();
    String servers = text("#servers");
    for (Object pool : new JsonArray(get("/pools"))) {
      for (Object server : ((JsonObject) pool).getJsonArray("servers")) {
        JsonObject facts = (JsonObject) server;
        assertThat(servers)
            .contains(facts.getString("server"), facts.getString("state"), facts.getString("why"));
      }
    }
    assertThat(servers).contains("127.0.0.1:1").contains("down");
    assertThat(text("#hot")).contains("key:0", "<b>key&\\xe9</b>", "cache → cache");
    assertThat(text("#phase")).isEqualTo("running");
    assertThat(browser.console()).isEmpty();

    for (String scheme : List.of("light", "dark")) {
      for (int width : new int[] {1200, 390}) {
        browser.look(width, 900, scheme);
        browser.picture(PICTURES.resolve(scheme + "-" + width + ".png"));
        assertThat(violations()).as("%s, %d wide", scheme, width).isEmpty();
        assertThat(
                (Boolean)
                    browser.script(
                        "return document.documentElement.scrollWidth <= window.innerWidth"))
            .as("nothing is wider than a screen of " + width)
            .isTrue();
      }
    }
  }

  /** What axe-core, which is put into the page, has to say against it. */
  private static List<?> violations() throws Exception {
    if (Boolean.FALSE.equals(browser.script("return 'axe' in window"))) {
      try (InputStream in = PageTest.class.getResourceAsStream("/axe.min.js")) {
        browser.script(new String(in.readAllBytes(), UTF_8));
      }
    }
    browser.script(
        "window.found = null; axe.run({iframes: false})"
            + ".then(r => { window.found = r.violations"
            + ".map(v => v.id + ' ' + v.nodes.map(n => n.target)); })");
    browser.await("window.found");
    return ((JsonArray) browser.script("return window.found")).getList();
  }

  @Test
  void shouldShowTheHistoryOfTheChosenRange() throws Exception {
    open();
    browser.await("document.body.dataset.samples >= 1");
    assertThat(text("#charts"))
        .contains("Requests per second", "Gateway latency", "Request time", "Client traffic");
    for (String range : List.of("300", "900", "3600")) {
      browser.click("#ranges input[value='" + range + "']");
      String minutes = Integer.toString(Integer.parseInt(range) / 60);
      browser.await(
          "document.querySelector('svg.chart').getAttribute('aria-label').includes('last "
              + minutes
              + " minutes')");
    }
    // the pointer at the right end reads the last sample
    browser.script(
        "const c = document.querySelector('svg.chart'), b = c.getBoundingClientRect();"
            + "c.dispatchEvent(new PointerEvent('pointermove',"
            + " {clientX: b.right - 5, clientY: b.top + 9}))");
    assertThat(text(".readout")).contains("requests ", "misses ", "errors ").doesNotContain("now");
    double misses =
        Double.parseDouble(
            (String)
                browser.script(
                    "return document.querySelector('[data-minute=misses]').dataset.value"));
    assertThat(misses).isBetween(0.0, 1.0);
    assertThat(browser.console()).isEmpty();
  }

  @Test
  void shouldDrawTheRoutingGraph() throws Exception {
    open();
    assertThat(text("#graph"))
        .contains("cache", "second", "5 rules", "0. prefix \"dead:\"", "4. everything", "nearCache")
        .contains("127.0.0.1:1", "embedded");
    assertThat(browser.script("return document.querySelectorAll('#graph .bad').length").toString())
        .isEqualTo("2"); // the servers that are down
    assertThat(text("#rules")).contains("rejects: not here", "nearCache");
  }

  @Test
  void shouldExplainARequest() throws Exception {
    open();
    browser.await("document.querySelector('#explain-listener').options.length === 2");
    browser.type("#explain-key", "local:7");
    browser.click("#explain button");
    browser.await("document.querySelector('#explained dl')");
    assertThat(text("#explained")).contains("1: prefix \"local:\"", "embedded");
    browser.type("#explain-command", "nonsense");
    browser.click("#explain button");
    browser.await("document.querySelector('#explained .bad')");
    assertThat(text("#explained")).contains("nonsense");
  }

  @Test
  void shouldEjectAServerAndRestoreIt() throws Exception {
    open();
    browser.script("window.confirm = () => true");
    browser.script("document.getElementById('eject pair 127.0.0.1:2').click()");
    browser.await("document.getElementById('restore pair 127.0.0.1:2')");
    assertThat(text("#servers")).contains("ejected by an administrator");
    assertThat(text("#said")).isEqualTo("eject: done");
    browser.script("document.getElementById('restore pair 127.0.0.1:2').click()");
    browser.await("document.getElementById('eject pair 127.0.0.1:2')");
    assertThat(text("#servers")).doesNotContain("ejected by an administrator");
  }

  @Test
  void shouldShowARefusedReload() throws Exception {
    open();
    assertThat(text("title")).contains("Sluice", "page.yaml");
    assertThat(text("#file")).isEqualTo(file.toString());
    String valid = Files.readString(file);
    Files.writeString(file, valid.replace("pool: local", "pool: lokal"));
    browser.click("#reload");
    browser.await("document.querySelector('#trouble').textContent.includes('lokal')");
    assertThat(text("#said")).contains("reload was refused", "lokal");
    assertThat(text("#reloads")).contains("refused");
    browser.look(390, 900, "dark");
    browser.picture(PICTURES.resolve("refused-dark-390.png"));
    assertThat(violations()).isEmpty();
    browser.look(1200, 900, "light");
    Files.writeString(file, valid);
    browser.click("#reload");
    browser.await("document.querySelector('#trouble').hidden");
    browser.click("#effective summary");
    browser.await("document.querySelector('#yaml').textContent.includes('listeners:')");
  }

  private static String text(String selector) throws Exception {
    return (String) browser.script("return document.querySelector('" + selector + "').textContent");
  }

  @Test
  void shouldRecordAProfileAndShowItsFlames() throws Exception {
    open();
    browser.type("#seconds", "1");
    browser.click("#record");
    browser.await("!document.querySelector('#record').disabled && flames.src");
    String said = text("#profiled");
    assertThat(said).matches("cpu-(\\w+)-1s\\.html: the samples were taken by \\1\\.");
    assertThat((Boolean) browser.script("return download.download.startsWith('cpu-')")).isTrue();
    browser.enter("#flames");
    browser.await("document.querySelector('h1') && document.querySelector('canvas')");
    assertThat(text("h1")).startsWith("cpu by ");
    browser.look(1200, 900, "dark");
    browser.await("getComputedStyle(document.documentElement).filter.includes('invert')");
    browser.enter(null);
    browser.script("document.querySelector('#flames').scrollIntoView()");
    browser.picture(PICTURES.resolve("profile.png"));
    assertThat(browser.console()).isEmpty();
  }

  @Test
  void shouldSayThatTheGatewayIsGone() throws Exception {
    open();
    gateway.close().await(20, TimeUnit.SECONDS);
    browser.await("document.querySelector('#phase').textContent === 'no answer'");
  }
}
