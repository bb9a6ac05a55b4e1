package sluice.gateway.top;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;

/** Screen of {@code sluice top}: lines made of an admin port's answers. */
final class Screen {
  private static final String REQUESTS = "sluice_requests_total";
  private static final List<String> ERRORS =
      List.of("error", "rejected", "timeout", "server_down", "protocol_error");
  private static final int HOTTEST = 5;

  private static final String RED = "\u001b[31m";
  private static final String GREEN = "\u001b[32m";
  private static final String PLAIN = "\u001b[0m";

  private final Scrape before;
  private final Scrape now;
  private final boolean colours;
  private final StringBuilder out = new StringBuilder();

  private Screen(Scrape before, Scrape now, boolean colours) {
    this.before = before;
    this.now = now;
    this.colours = colours;
  }

  /**
   * The text, with a line end behind each line.
   *
   * @param now the later of two scrapes: rates are those between them
   */
  static String of(
      String address,
      Scrape before,
      Scrape now,
      JsonObject ready,
      JsonArray pools,
      JsonObject hotKeys,
      boolean colours) {
    Screen screen = new Screen(before, now, colours);
    screen.head(address, ready);
    screen.listeners();
    screen.servers(pools);
    screen.hotKeys(hotKeys);
    return screen.out.toString();
  }

  private void head(String address, JsonObject ready) {
    boolean fine = ready.getBoolean("ready", false);
    line(
        address
            + "  "
            + colour(fine ? GREEN : RED, ready.getString("phase") + (fine ? "" : ", not ready"))
            + "  up "
            + Figures.uptime(sum("process_uptime_seconds")));
    double all = sum(REQUESTS);
    double errors =
        ERRORS.stream()
            .mapToDouble(outcome -> now.sum(REQUESTS, Map.of("outcome", outcome)))
            .filter(count -> !Double.isNaN(count))
            .sum();
    line(
        "requests  %s/s  errors %s  clients %s  in flight %s"
            .formatted(
                Figures.rate(now.rate(REQUESTS, Map.of(), before)),
                Figures.percent(errors / all),
                Figures.count(sum("sluice_connections")),
                Figures.count(sum("sluice_in_flight"))));
    line("gateway latency  " + times("sluice_own_time_quantile_seconds", Map.of()));
    line("request latency  " + times("sluice_request_time_quantile_seconds", Map.of()));
    line(
        "bytes     %s/s in  %s/s out  buffered %s of %s  heap %s of %s"
            .formatted(
                Figures.bytes(bytes("client_in")),
                Figures.bytes(bytes("client_out")),
                Figures.bytes(sum("sluice_buffered_bytes")),
                Figures.bytes(now.sum("sluice_memory_limit_bytes", Map.of("area", "buffers"))),
                Figures.bytes(now.sum("sluice_memory_used_bytes", Map.of("area", "heap"))),
                Figures.bytes(now.sum("sluice_memory_limit_bytes", Map.of("area", "heap")))));
    StringBuilder loops = new StringBuilder("loops    ");
    for (String loop : now.values("sluice_loop_cpu_seconds_total", "loop")) {
      double share = now.rate("sluice_loop_cpu_seconds_total", Map.of("loop", loop), before);
      loops.append(' ').append(Figures.percent(share));
    }
    line(loops.toString());
  }

  private double sum(String metric) {
    return now.sum(metric, Map.of());
  }

  private double bytes(String direction) {
    return now.rate("sluice_bytes_total", Map.of("direction", direction), before);
  }

  private String times(String metric, Map<String, String> labels) {
    return "p50 %s  p99 %s  p99.9 %s"
        .formatted(
            quantile(metric, labels, "0.5"),
            quantile(metric, labels, "0.99"),
            quantile(metric, labels, "0.999"));
  }

  private String quantile(String metric, Map<String, String> labels, String quantile) {
    Map<String, String> all = new HashMap<>(labels);
    all.put("quantile", quantile);
    return Figures.seconds(now.max(metric, all));
  }

  private void listeners() {
    List<String[]> rows = new ArrayList<>();
    rows.add(new String[] {"LISTENER", "CLIENTS", "REQ/S", "P50", "P99", "P99.9"});
    NavigableSet<String> names = now.values("sluice_connections", "listener");
    for (String name : names) {
      Map<String, String> labels = Map.of("listener", name);
      String metric = "sluice_request_time_quantile_seconds";
      rows.add(
          new String[] {
            name,
            Figures.count(now.sum("sluice_connections", labels)),
            Figures.rate(now.rate(REQUESTS, labels, before)),
            quantile(metric, labels, "0.5"),
            quantile(metric, labels, "0.99"),
            quantile(metric, labels, "0.999")
          });
    }
    table(rows, 1);
  }

  private void servers(JsonArray pools) {
    List<String[]> rows = new ArrayList<>();
    rows.add(
        new String[] {
          "POOL", "SERVER", "STATE", "REQ/S", "P50", "P99", "IN FLIGHT", "EJECTED", "WHY"
        });
    for (int i = 0; i < pools.size(); i++) {
      JsonObject pool = pools.getJsonObject(i);
      JsonArray servers = pool.getJsonArray("servers");
      for (int j = 0; j < servers.size(); j++) {
        rows.add(server(pool.getString("name"), servers.getJsonObject(j)));
      }
    }
    table(rows, 3);
  }

  private String[] server(String pool, JsonObject server) {
    String name = server.getString("server");
    Map<String, String> labels = Map.of("pool", pool, "server", name);
    String metric = "sluice_server_time_quantile_seconds";
    return new String[] {
      pool,
      name,
      server.getString("state"),
      Figures.rate(now.rate("sluice_server_time_seconds_count", labels, before)),
      quantile(metric, labels, "0.5"),
      quantile(metric, labels, "0.99"),
      Figures.count(server.getLong("inFlight")),
      Figures.count(server.getLong("ejections")),
      server.getString("why")
    };
  }

  private void hotKeys(JsonObject hotKeys) {
    List<String[]> rows = new ArrayList<>();
    rows.add(new String[] {"HOT IN", "SHARE", "+-", "KEY"});
    JsonArray groups = hotKeys.getJsonArray("groups");
    for (int i = 0; i < groups.size(); i++) {
      JsonObject group = groups.getJsonObject(i);
      JsonArray keys = group.getJsonArray("keys");
      for (int j = 0; j < Math.min(HOTTEST, keys.size()); j++) {
        JsonObject key = keys.getJsonObject(j);
        rows.add(
            new String[] {
              group.getString("listener") + " " + group.getString("pool"),
              Figures.percent(key.getDouble("share")),
              Figures.percent(key.getDouble("error")),
              key.getString("key")
            });
      }
    }
    if (rows.size() > 1) {
      table(rows, 1);
    }
  }

  /**
   * Adds a table. Columns from firstNumber on are aligned right, except the last of a wide table.
   */
  private void table(List<String[]> rows, int firstNumber) {
    line("");
    int columns = rows.get(0).length;
    boolean textLast = rows.get(0)[columns - 1].matches("WHY|KEY");
    for (String[] row : rows) {
      // text from a server must not control the terminal
      Arrays.setAll(row, i -> row[i].replaceAll("\\p{Cntrl}", ""));
    }
    int[] widths = new int[columns];
    for (String[] row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String gap = " ".repeat(widths[i] - row[i].length());
        boolean toTheRight = i >= firstNumber && !(textLast && i == columns - 1);
        line.append(i == 0 ? "" : "  ").append(toTheRight ? gap + row[i] : row[i] + gap);
      }
      line(state(row, line.toString()));
    }
  }

  /** Highlights a server that accepts no requests. */
  private String state(String[] row, String line) {
    boolean out = row.length > 2 && row[2].matches("down|ejected");
    return out ? colour(RED, line) : line;
  }

  private String colour(String colour, String text) {
    return colours ? colour + text + PLAIN : text;
  }

  private void line(String text) {
    out.append(text.stripTrailing()).append('\n');
  }
}
