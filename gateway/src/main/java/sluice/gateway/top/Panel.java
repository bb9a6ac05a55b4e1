package sluice.gateway.top;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import sluice.gateway.top.AdminPort.Answers;

/** Lines of an interactive screen: as many and as wide as the terminal has, none longer. */
final class Panel {
  private static final String REQUESTS = "sluice_requests_total";
  private static final String REQUEST_TIME = "sluice_request_time_quantile_seconds";
  private static final String SERVER_TIME = "sluice_server_time_quantile_seconds";
  private static final List<String> ERRORS =
      List.of("error", "rejected", "timeout", "server_down", "protocol_error");

  private static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
  private static final AttributedStyle FINE = PLAIN.foreground(AttributedStyle.GREEN);
  private static final AttributedStyle ALARM = PLAIN.foreground(AttributedStyle.RED);
  private static final AttributedStyle FAINT = PLAIN.faint();

  /** A title and an empty line above it. */
  private static final int TABLE_HEAD = 2;

  private static final int LEAST_LISTENERS = 2;
  private static final int LEAST_SERVERS = 6;
  private static final int MOST_KEYS = 10;
  private static final int REASON_LINES = 2;

  private final int width;
  private final int height;
  private final Cells cells;
  private final Controls controls;
  private final List<AttributedString> lines = new ArrayList<>();

  /** What a server's row is sorted by, and its cells. */
  private record Server(
      String pool, String name, double rate, double time, long inFlight, long ejections, Row row) {}

  private record Row(String... cells) {}

  private Panel(int width, int height, Cells cells, Controls controls) {
    this.width = width;
    this.height = height;
    this.cells = cells;
    this.controls = controls;
  }

  /**
   * The lines of a screen.
   *
   * @param before answers before the latest: rates are those between them
   * @param rates requests per second until now
   * @param problem why there are no newer answers; empty if there are
   */
  static List<AttributedString> lines(
      int width,
      int height,
      Cells cells,
      Controls controls,
      String address,
      Scrape before,
      Answers now,
      History rates,
      String problem) {
    Panel panel = new Panel(width, height, cells, controls);
    panel.head(address, before, now);
    panel.traffic(before, now.metrics(), rates);
    panel.problems(now.ready(), problem);
    panel.tables(before, now);
    panel.footer();
    return panel.fitted();
  }

  /** The growth of all requests per second. */
  static double rate(Scrape before, Scrape now) {
    return now.rate(REQUESTS, Map.of(), before);
  }

  private List<AttributedString> fitted() {
    return lines.subList(0, Math.min(lines.size(), height)).stream()
        .map(line -> line.columnSubSequence(0, width))
        .collect(Collectors.toCollection(ArrayList::new)); // a display changes it
  }

  private void line(String text) {
    line(text, PLAIN);
  }

  private void line(String text, AttributedStyle style) {
    lines.add(new AttributedString(text.replaceAll("\\p{Cntrl}", ""), style));
  }

  private void head(String address, Scrape before, Answers now) {
    JsonObject ready = now.ready();
    boolean fine = ready.getBoolean("ready", false);
    int down = 0;
    var all = servers(now.pools()).values().stream().flatMap(List::stream).toList();
    for (JsonObject server : all) {
      down += isUnused(server.getString("state")) ? 1 : 0;
    }
    lines.add(
        new AttributedStringBuilder()
            .append(address + "  ")
            .styled(
                fine ? FINE : ALARM,
                ready.getString("phase", "unknown") + (fine ? "" : ", not ready"))
            .append("  up " + Figures.uptime(sum(now.metrics(), "process_uptime_seconds")))
            .append("  servers " + all.size())
            .styled(down == 0 ? PLAIN : ALARM, down == 0 ? "" : ", " + down + " not in use")
            .toAttributedString());
    double rate = rate(before, now.metrics());
    double errors =
        ERRORS.stream()
            .mapToDouble(
                outcome -> now.metrics().rate(REQUESTS, Map.of("outcome", outcome), before))
            .filter(Double::isFinite)
            .sum();
    line(
        "requests %s/s  errors %s  clients %s  in flight %s"
            .formatted(
                Figures.rate(rate),
                Figures.percent(rate > 0 ? errors / rate : 0),
                Figures.count(sum(now.metrics(), "sluice_connections")),
                Figures.count(sum(now.metrics(), "sluice_in_flight"))));
  }

  private static boolean isUnused(String state) {
    return state.equals("down") || state.equals("ejected");
  }

  private static Map<String, List<JsonObject>> servers(JsonArray pools) {
    return pools.stream()
        .map(JsonObject.class::cast)
        .collect(
            Collectors.toMap(
                pool -> pool.getString("name"),
                pool -> pool.getJsonArray("servers").stream().map(JsonObject.class::cast).toList(),
                (one, other) -> one,
                LinkedHashMap::new));
  }

  private static double sum(Scrape now, String metric) {
    return now.sum(metric, Map.of());
  }

  private void traffic(Scrape before, Scrape now, History rates) {
    int bars = Math.max(1, width - "req/s  peak 100.0k".length());
    String line = rates.sparkline(bars, cells.unicode());
    line("req/s " + line + " peak " + Figures.rate(rates.peak(bars)));
    line("gateway latency  " + times(now, "sluice_own_time_quantile_seconds"));
    line("request latency  " + times(now, REQUEST_TIME));
    line(
        "bytes %s/s in  %s/s out  buffers %s of %s"
            .formatted(
                Figures.bytes(bytes(before, now, "client_in")),
                Figures.bytes(bytes(before, now, "client_out")),
                Figures.bytes(sum(now, "sluice_buffered_bytes")),
                Figures.bytes(now.sum("sluice_memory_limit_bytes", Map.of("area", "buffers")))));
    StringBuilder loops =
        new StringBuilder(
            "heap %s of %s  CPU of event loops "
                .formatted(
                    Figures.bytes(now.sum("sluice_memory_used_bytes", Map.of("area", "heap"))),
                    Figures.bytes(now.sum("sluice_memory_limit_bytes", Map.of("area", "heap")))));
    for (String loop : now.values("sluice_loop_cpu_seconds_total", "loop")) {
      double share = now.rate("sluice_loop_cpu_seconds_total", Map.of("loop", loop), before);
      loops.append(' ').append(Figures.percent(share));
    }
    line(loops.toString());
  }

  private static double bytes(Scrape before, Scrape now, String direction) {
    return now.rate("sluice_bytes_total", Map.of("direction", direction), before);
  }

  private static String times(Scrape now, String metric) {
    return "p50 %s  p99 %s  p99.9 %s"
        .formatted(
            quantile(now, metric, Map.of(), "0.5"),
            quantile(now, metric, Map.of(), "0.99"),
            quantile(now, metric, Map.of(), "0.999"));
  }

  private static String quantile(
      Scrape now, String metric, Map<String, String> labels, String quantile) {
    return Figures.seconds(time(now, metric, labels, quantile));
  }

  private static double time(
      Scrape now, String metric, Map<String, String> labels, String quantile) {
    Map<String, String> all = new HashMap<>(labels);
    all.put("quantile", quantile);
    return now.max(metric, all);
  }

  private void problems(JsonObject ready, String problem) {
    if (!problem.isEmpty()) {
      line(problem, ALARM);
    }
    JsonArray refused = ready.getJsonArray("configurationProblems", new JsonArray());
    if (refused.isEmpty()) {
      return;
    }
    String others = refused.size() == 1 ? "" : ", " + refused.size() + " problems";
    line("reload refused; the previous configuration stays in use" + others, ALARM);
    String first = refused.getString(0).replaceAll("\\p{Cntrl}", "");
    for (int i = 0; i < REASON_LINES && !first.isEmpty(); i++) {
      boolean last = i == REASON_LINES - 1;
      String part = last ? cells.cut(first, width) : first.substring(0, end(first));
      line(part, ALARM);
      first = last ? "" : first.substring(part.length()).stripLeading();
    }
  }

  /** Where the first line of a text ends: behind its last word that fits, if there is one. */
  private int end(String text) {
    if (text.length() <= width) {
      return text.length();
    }
    int space = text.lastIndexOf(' ', width);
    return space > 0 ? space : width;
  }

  private void tables(Scrape before, Answers now) {
    Table listeners = listeners(before, now.metrics());
    List<Server> servers = sorted(before, now);
    Table serverTable =
        new Table(
            3,
            true,
            "POOL",
            "SERVER",
            "STATE",
            "REQ/S",
            "P50",
            "P99",
            "IN FLIGHT",
            "EJECTED",
            "WHY");
    servers.forEach(server -> serverTable.add(server.row().cells()));
    Table keys = keys(now.hotKeys());
    int space = height - lines.size() - 1;
    int shownListeners =
        Math.min(listeners.size(), Math.max(LEAST_LISTENERS, (space - LEAST_SERVERS) / 4));
    int rest = space - shownListeners - 2 * TABLE_HEAD;
    int wanted = Math.min(servers.size(), Math.max(LEAST_SERVERS, rest - TABLE_HEAD - MOST_KEYS));
    int shownKeys = Math.min(Math.min(keys.size(), MOST_KEYS), rest - wanted - TABLE_HEAD);
    int shownServers = shownKeys > 0 ? rest - shownKeys - TABLE_HEAD : rest;
    table(listeners, 0, shownListeners, row -> false);
    table(
        serverTable,
        controls.first(shownServers, servers.size()),
        Math.max(0, shownServers),
        row -> isUnused(row[2]));
    if (shownKeys > 0) {
      table(keys, 0, shownKeys, row -> false);
    }
  }

  private void table(Table table, int from, int count, Predicate<String[]> alarming) {
    lines.add(AttributedString.EMPTY);
    lines.addAll(table.lines(width, from, count, cells, alarming));
  }

  private Table listeners(Scrape before, Scrape now) {
    Table table = new Table(1, false, "LISTENER", "CLIENTS", "REQ/S", "P50", "P99", "P99.9");
    for (String name : now.values("sluice_connections", "listener")) {
      Map<String, String> labels = Map.of("listener", name);
      table.add(
          name,
          Figures.count(now.sum("sluice_connections", labels)),
          Figures.rate(now.rate(REQUESTS, labels, before)),
          quantile(now, REQUEST_TIME, labels, "0.5"),
          quantile(now, REQUEST_TIME, labels, "0.99"),
          quantile(now, REQUEST_TIME, labels, "0.999"));
    }
    return table;
  }

  private List<Server> sorted(Scrape before, Answers now) {
    List<Server> servers = new ArrayList<>();
    servers(now.pools())
        .forEach(
            (pool, all) ->
                all.forEach(each -> servers.add(server(pool, each, before, now.metrics()))));
    servers.removeIf(server -> !controls.shows(String.join(" ", server.row().cells())));
    Comparator<Server> unknownLast = Comparator.comparing(server -> Double.isNaN(server.time()));
    switch (controls.order()) {
      case CONFIGURED -> {}
      case NAME -> servers.sort(Comparator.comparing(Server::name).thenComparing(Server::pool));
      case RATE -> servers.sort(Comparator.comparingDouble(Server::rate).reversed());
      case TIME ->
          servers.sort(
              unknownLast.thenComparing(Comparator.comparingDouble(Server::time).reversed()));
      case IN_FLIGHT -> servers.sort(Comparator.comparingLong(Server::inFlight).reversed());
      case EJECTIONS -> servers.sort(Comparator.comparingLong(Server::ejections).reversed());
    }
    return servers;
  }

  private static Server server(String pool, JsonObject server, Scrape before, Scrape now) {
    String name = server.getString("server");
    Map<String, String> labels = Map.of("pool", pool, "server", name);
    double rate = now.rate("sluice_server_time_seconds_count", labels, before);
    double time = time(now, SERVER_TIME, labels, "0.99");
    long inFlight = server.getLong("inFlight");
    long ejections = server.getLong("ejections");
    Row row =
        new Row(
            pool,
            name,
            server.getString("state"),
            Figures.rate(rate),
            quantile(now, SERVER_TIME, labels, "0.5"),
            Figures.seconds(time),
            Figures.count((double) inFlight),
            Figures.count((double) ejections),
            server.getString("why").replace("server " + name + " is ", ""));
    return new Server(pool, name, Double.isNaN(rate) ? 0 : rate, time, inFlight, ejections, row);
  }

  private Table keys(JsonObject hotKeys) {
    Table table = new Table(1, true, "HOT IN", "SHARE", "+-", "KEY");
    JsonArray groups = hotKeys.getJsonArray("groups", new JsonArray());
    for (int i = 0; i < groups.size(); i++) {
      JsonObject group = groups.getJsonObject(i);
      JsonArray keys = group.getJsonArray("keys");
      String place = group.getString("listener") + " " + group.getString("pool");
      for (int j = 0; j < keys.size(); j++) {
        JsonObject key = keys.getJsonObject(j);
        String text = key.getString("key");
        if (controls.shows(place + " " + text)) {
          table.add(
              place,
              Figures.percent(key.getDouble("share")),
              Figures.percent(key.getDouble("error")),
              text);
        }
      }
    }
    return table;
  }

  private void footer() {
    while (lines.size() < height - 1) {
      lines.add(AttributedString.EMPTY);
    }
    if (lines.size() >= height) {
      lines.subList(height - 1, lines.size()).clear();
    }
    if (controls.isTyping()) {
      line("filter: " + controls.filter() + "_  Enter keeps it, Esc removes it");
      return;
    }
    AttributedStringBuilder line = new AttributedStringBuilder();
    line.append("q quit  / filter");
    if (!controls.filter().isEmpty()) {
      line.append(" ").styled(PLAIN.inverse(), controls.filter()).append(" Esc");
    }
    line.append("  sort");
    for (Order order : Order.values()) {
      line.append(" ")
          .styled(
              order == controls.order() ? PLAIN.inverse() : FAINT,
              order.key() + " " + order.label());
    }
    lines.add(line.toAttributedString());
  }
}
