package sluice.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.config.schema.Key;
import sluice.config.schema.Quantities;
import sluice.config.schema.Type;

/** The sections of docs/reference/configuration.md, one for each key, made of its declaration. */
final class ReferencePage {
  private static final int WIDTH = 120;
  private static final Pattern SUCH_AS = Pattern.compile("such as (.*)");
  private static final Pattern SPECIAL = Pattern.compile(".*[:#{}\\[\\],&*!|>'\"%@` ].*");

  /** Examples where neither the default nor the type tells one, by the end of the path. */
  private static final Map<String, String> EXAMPLES =
      Map.ofEntries(
          Map.entry(".certificate", "tls/server.pem"),
          Map.entry("tls.key", "tls/server.key"),
          Map.entry(".clientCa", "tls/ca.pem"),
          Map.entry(".ca", "tls/ca.pem"),
          Map.entry(".clientAuth", "request"),
          Map.entry(".serverName", "cache.example"),
          Map.entry(".users", "users"),
          Map.entry(".user", "gateway"),
          Map.entry(".passwordFile", "password"),
          Map.entry("include", "pools.yaml"),
          Map.entry("compression.dictionaries", "users-2.zdict, users-1.zdict"),
          Map.entry("match.prefix", "user:"),
          Map.entry("match.client", "web.example"),
          Map.entry("match.token", "Pcanary"),
          Map.entry(".verbs", "READ_REQ"),
          Map.entry("match.commands", "get"),
          Map.entry("match.dialects", "meta"),
          Map.entry("key.strip", "user:"),
          Map.entry("key.add", "v2:"),
          Map.entry("[].reject", "not here"),
          Map.entry("NAME.route", "cache"),
          Map.entry("[].pool", "main"),
          Map.entry("[].failover", "spare"),
          Map.entry("failover.pools", "spare"),
          Map.entry("replicate.pools", "main, east"),
          Map.entry("shadow.pool", "next"),
          Map.entry("hedge.to", "east"),
          Map.entry("warmUp.cold", "next"),
          Map.entry("warmUp.warm", "main"),
          Map.entry("migrate.to", "next"),
          Map.entry("limit.rate", "1000"),
          Map.entry("limit.burst", "2000"),
          Map.entry("NAME.servers", "10.0.0.1:11211, 10.0.0.2:11211 weight=2"),
          Map.entry("hash.function", "fnv1a_64"),
          Map.entry("hash.distribution", "rendezvous"),
          Map.entry("discover.srv", "_memcached._tcp.cache.example"),
          Map.entry("discover.elasticache", "cache.example:11211"),
          Map.entry("proxyProtocol.from", "10.0.0.0/8"),
          Map.entry("replace[].find", "http://"),
          Map.entry("replace[].with", "https://"),
          Map.entry("NAME.peers", "10.0.0.2"),
          Map.entry("process.eventLoops", "4"),
          Map.entry("process.memory", "64MiB"),
          Map.entry("ttl.min", "10s"),
          Map.entry("split.above", "512KiB"),
          Map.entry("NAME[].split", "512KiB"),
          Map.entry("limits.idle", "10m"),
          Map.entry("limits.maxAge", "1h"),
          Map.entry("connections.idle", "5m"),
          Map.entry("otlp.headers", "authorization: Bearer TOKEN"),
          Map.entry("otlp.resource", "deployment.environment.name: production"),
          Map.entry("nearCache.size", "64MiB"),
          Map.entry("nearCache.ttl", "1s"),
          Map.entry(".ejectFor", "2s..60s"),
          Map.entry("NAME.queueTimeout", "100ms"));

  private final List<String> lines = new ArrayList<>();

  /** Text of all keys. */
  static String of(Type<?> type) {
    ReferencePage page = new ReferencePage();
    page.keys("", type);
    return String.join("\n", page.lines);
  }

  private void keys(String path, Type<?> type) {
    if (type instanceof Type.Section section) {
      for (Key<?> key : section.keys()) {
        String at = path.isEmpty() ? key.name() : path + "." + key.name();
        key(at, key);
        keys(at, key.type());
      }
    } else if (type instanceof Type.Brief<?> either) {
      keys(path, either.section());
    } else if (type instanceof Type.Named<?> named) {
      keys(path + ".NAME", named.each());
    } else if (type instanceof Type.Items<?> items) {
      keys(path + "[]", items.each());
    }
  }

  private void key(String path, Key<?> key) {
    lines.addAll(List.of("### `" + path + "`", ""));
    String doc = key.doc();
    for (String sentence : doc.split("(?<=[.]) (?=[A-Z])")) {
      wrapped("", sentence);
    }
    lines.add("");
    wrapped("  ", "- Type: " + key.type().expected());
    lines.add("- Default: " + standard(key));
    lines.add("");
    String value = example(path, key);
    if (!value.isEmpty()) {
      lines.add("```yaml");
      lines.addAll(yaml(path, value));
      lines.addAll(List.of("```", ""));
    }
  }

  /** One line, or where it is too long, two. */
  private void wrapped(String indent, String line) {
    int cut = line.length() <= WIDTH ? -1 : line.lastIndexOf(' ', WIDTH);
    lines.add(cut < 0 ? line : line.substring(0, cut));
    if (cut >= 0) {
      wrapped(indent, indent + line.substring(cut + 1));
    }
  }

  private static String standard(Key<?> key) {
    if (key.kind() == Key.Kind.REQUIRED) {
      return "none, the key is required";
    }
    if (key.hasFixedDefault()) {
      return "`" + key.defaultDoc() + "`";
    }
    if (key.defaultDoc().isEmpty()) {
      return key.type().expected().equals(Quantities.bool().expected()) ? "`false`" : "none";
    }
    return key.defaultDoc();
  }

  /** A value that the key takes, as YAML; empty where it has keys of its own. */
  private static String example(String path, Key<?> key) {
    Type<?> type = key.type() instanceof Type.Brief<?> either ? either.alone() : key.type();
    String given = "";
    int longest = 0;
    for (Map.Entry<String, String> example : EXAMPLES.entrySet()) {
      if (path.endsWith(example.getKey()) && example.getKey().length() > longest) {
        given = example.getValue();
        longest = example.getKey().length();
      }
    }
    if (type instanceof Type.Scalar<?> scalar) {
      return quoted(taken(path, scalar, given, key));
    }
    if (type instanceof Type.Items<?> items && items.each() instanceof Type.Scalar<?> each) {
      List<String> elements = new ArrayList<>();
      for (String element : given.isEmpty() ? List.of("") : List.of(given.split(", "))) {
        elements.add(quoted(taken(path, each, element, null)));
      }
      return "[" + String.join(", ", elements) + "]";
    }
    if (type instanceof Type.Pairs<?, ?>) {
      return "{" + (given.isEmpty() ? "10.0.0.1: 203.0.113.1" : given) + "}";
    }
    return "";
  }

  /** The first text that the parser takes. */
  private static String taken(
      String path, Type.Scalar<?> scalar, String given, @Nullable Key<?> key) {
    List<String> candidates = new ArrayList<>();
    candidates.add(given);
    String expected = scalar.expected();
    if (expected.contains(" | ")) {
      List<String> choices = List.of(expected.split(" \\| "));
      boolean first = key == null || !choices.get(0).equals(key.defaultDoc());
      candidates.addAll(first ? choices : choices.subList(1, choices.size()));
    }
    if (key != null && key.hasFixedDefault() && !key.defaultDoc().equals("never")) {
      candidates.add(key.defaultDoc());
    }
    SUCH_AS
        .matcher(expected)
        .results()
        .map((MatchResult match) -> match.group(1).split(",? or |, "))
        .forEach(examples -> candidates.addAll(List.of(examples)));
    candidates.addAll(List.of("10%", "1h", "2", "127.0.0.1:9901"));
    return candidates.stream()
        .filter(candidate -> !candidate.isEmpty() && scalar.parser().apply(candidate) != null)
        .findFirst()
        .orElseThrow(() -> new AssertionError(path + " has no example: " + expected));
  }

  private static String quoted(String value) {
    boolean plain =
        !SPECIAL.matcher(value).matches()
            || value.matches("[\\w./%+-][\\w./%:+-]*[\\w./%+-]( weight=\\d+)?");
    return plain ? value : "\"" + value + "\"";
  }

  private static List<String> yaml(String path, String value) {
    List<String> lines = new ArrayList<>();
    String indent = "";
    String[] names = path.split("\\.");
    String dash = "";
    for (int i = 0; i < names.length; i++) {
      String name = names[i].replace("[]", "");
      if (name.equals("NAME")) {
        name = names[0].equals("pools") ? "main" : "cache";
      }
      boolean last = i == names.length - 1;
      lines.add(indent + dash + name + ":" + (last ? " " + value : ""));
      indent += "  " + (dash.isEmpty() ? "" : "  ");
      dash = names[i].endsWith("[]") ? "- " : "";
    }
    return lines;
  }
}
