package sluice.config.schema;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.config.model.Address;
import sluice.config.model.Credentials;
import sluice.config.model.DurationRange;
import sluice.config.model.Hosts;
import sluice.config.model.LimitsConfig;
import sluice.config.model.NodeName;
import sluice.config.model.PeerName;
import sluice.config.model.ServerConfig;
import sluice.names.Labelled;

/** The scalar types of the file. */
public final class Scalars {
  private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]{1,18}");
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,10})(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,12})(B|KiB|MiB|GiB)");
  private static final Pattern PERCENT = Pattern.compile("([0-9]{1,3})%");
  private static final Pattern BITS = Pattern.compile("[0-9]{1,10}|0x[0-9A-Fa-f]{1,8}");
  private static final Pattern WEIGHT = Pattern.compile("weight=([0-9]{1,9})");
  private static final Pattern NAME = Pattern.compile("name=([!-~]{1,255})");
  private static final Pattern SHARE = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,6})?)%");
  private static final Pattern MICROS = Pattern.compile("([0-9]{1,9})(us|ms|s)");
  private static final String NEVER = "never";
  private static final long MAX_BITS = 0xFFFF_FFFFL;
  private static final long MAX_WEIGHT = 1_000_000;
  private static final int MAX_KEY_BYTES = 250;
  private static final int MAX_REPLACED_BYTES = 1024;

  /** As long as a SPIFFE ID may be. */
  private static final int MAX_CLIENT_BYTES = 2048;

  private static final String META_TOKEN = "[PL][!-~]{0,249}";

  /** A request's extras are at most 255 bytes, of which a counter's first 20 are numbers. */
  private static final int MAX_CACHE_NAME_BYTES = 119;

  private Scalars() {}

  /** Both limits included. */
  public static Type.Scalar integer(long min, long max) {
    return new Type.Scalar(
        min == max ? Long.toString(min) : min + " to " + max,
        true,
        text -> {
          if (!INTEGER.matcher(text).matches()) {
            return null;
          }
          long value = Long.parseLong(text);
          return min <= value && value <= max ? value : null;
        },
        Map.of("type", "integer", "minimum", min, "maximum", max));
  }

  static Type.Scalar bool() {
    return new Type.Scalar(
        "true | false",
        true, // what YAML takes for neither a number nor a string
        text -> text.equals("true") ? Boolean.TRUE : text.equals("false") ? Boolean.FALSE : null,
        Map.of("type", "boolean"));
  }

  /** In milliseconds; both limits included. */
  public static Type.Scalar duration(String min, String max) {
    long least = millis(min).orElseThrow();
    long most = millis(max).orElseThrow();
    return string(
        "a duration from " + min + " to " + max + ", such as 250ms, 5s or 2m",
        text -> millis(text).filter(m -> least <= m && m <= most).orElse(null),
        DURATION.pattern());
  }

  /** In milliseconds, or {@link LimitsConfig#NEVER}. */
  static Type.Scalar durationOrNever(String min, String max) {
    Type.Scalar limited = duration(min, max);
    return string(
        limited.expected() + ", or never",
        text -> text.equals(NEVER) ? (Object) LimitsConfig.NEVER : limited.parser().apply(text),
        NEVER + "|" + DURATION.pattern());
  }

  private static Optional<Long> millis(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long unit =
        switch (matcher.group(2)) {
          case "ms" -> 1;
          case "s" -> 1_000;
          case "m" -> 60_000;
          case "h" -> 3_600_000;
          default -> 86_400_000;
        };
    return Optional.of(Long.parseLong(matcher.group(1)) * unit);
  }

  /** Two durations, the first at most the second, as a {@link DurationRange}. */
  static Type.Scalar durationRange(String min, String max) {
    Type.Scalar each = duration(min, max);
    return string(
        "two durations from " + min + " to " + max + ", such as 1s..30s",
        text -> {
          String[] parts = text.split("\\.\\.", -1);
          if (parts.length != 2) {
            return null;
          }
          Object least = each.parser().apply(parts[0]);
          Object most = each.parser().apply(parts[1]);
          return least instanceof Long from && most instanceof Long to && from <= to
              ? new DurationRange(from, to)
              : null;
        },
        DURATION.pattern() + "\\.\\." + DURATION.pattern());
  }

  /** A point in time, in milliseconds since 1970. */
  static Type.Scalar instant() {
    return string(
        "a time such as 2030-01-31T12:00:00Z",
        text -> {
          try {
            return Instant.parse(text).toEpochMilli();
          } catch (DateTimeParseException e) {
            return null;
          }
        },
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)");
  }

  /** In bytes; both limits included. */
  public static Type.Scalar size(String min, String max) {
    long least = bytes(min).orElseThrow();
    long most = bytes(max).orElseThrow();
    return string(
        "a size from " + min + " to " + max + ", such as 64KiB or 1MiB",
        text -> bytes(text).filter(b -> least <= b && b <= most).orElse(null),
        SIZE.pattern());
  }

  private static Optional<Long> bytes(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int shift =
        switch (matcher.group(2)) {
          case "B" -> 0;
          case "KiB" -> 10;
          case "MiB" -> 20;
          default -> 30;
        };
    long count = Long.parseLong(matcher.group(1));
    return count <= Long.MAX_VALUE >> shift ? Optional.of(count << shift) : Optional.empty();
  }

  /** As a whole number of percent, 1 to 100. */
  public static Type.Scalar percent() {
    return string(
        "1% to 100%",
        text -> {
          Matcher matcher = PERCENT.matcher(text);
          long percent = matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
          return 1 <= percent && percent <= 100 ? percent : null;
        },
        PERCENT.pattern());
  }

  /** As a {@link Double} from 0 to 1. */
  public static Type.Scalar share() {
    return string(
        "0% to 100%, such as 1% or 0.5%",
        text -> {
          Matcher matcher = SHARE.matcher(text);
          double percent = matcher.matches() ? Double.parseDouble(matcher.group(1)) : -1;
          return 0 <= percent && percent <= 100 ? percent / 100 : null;
        },
        SHARE.pattern());
  }

  /** In microseconds, up to a minute. */
  public static Type.Scalar micros() {
    return string(
        "a duration up to 60s, such as 200us or 5ms",
        text -> {
          Matcher matcher = MICROS.matcher(text);
          if (!matcher.matches()) {
            return null;
          }
          long unit =
              switch (matcher.group(2)) {
                case "us" -> 1;
                case "ms" -> 1_000;
                default -> 1_000_000;
              };
          long micros = Long.parseLong(matcher.group(1)) * unit;
          return micros <= 60_000_000 ? micros : null;
        },
        MICROS.pattern());
  }

  /** One bit of an item's flags. */
  static Type.Scalar flag() {
    return bits("one bit of 32, such as 0x10000", 1, bits -> Long.bitCount(bits) == 1);
  }

  /** Bits of an item's flags, or none. */
  static Type.Scalar flags() {
    return bits("bits of 32, such as 0x2, or 0 for none", 0, bits -> true);
  }

  private static Type.Scalar bits(String expected, long min, Predicate<Long> valid) {
    return new Type.Scalar(
        expected,
        true,
        text -> {
          if (!BITS.matcher(text).matches()) {
            return null;
          }
          boolean hex = text.startsWith("0x");
          long bits = hex ? Long.parseLong(text.substring(2), 16) : Long.parseLong(text);
          return bits <= MAX_BITS && valid.test(bits) ? bits : null;
        },
        Map.of("type", "integer", "minimum", min, "maximum", MAX_BITS));
  }

  /** A constant of the enum, by its label. */
  public static <E extends Enum<E> & Labelled> Type.Scalar choice(Class<E> type) {
    Map<String, Object> byLabel = new LinkedHashMap<>();
    Arrays.stream(type.getEnumConstants()).forEach(c -> byLabel.put(c.label(), c));
    return choice(byLabel);
  }

  private static Type.Scalar choice(Map<String, Object> byLabel) {
    String expected = String.join(" | ", byLabel.keySet());
    Map<String, Object> schema = Map.of("enum", byLabel.keySet().stream().toList());
    return new Type.Scalar(expected, false, byLabel::get, schema);
  }

  static Type.Scalar names(Set<String> names) {
    Map<String, Object> byLabel = new LinkedHashMap<>();
    names.forEach(n -> byLabel.put(n, n));
    return choice(byLabel);
  }

  /** What a listener binds: port 0 is any free port. */
  static Type.Scalar bindAddress() {
    return string(
        "host:port, [IPv6]:port or unix:/path",
        text -> Address.parse(text).orElse(null),
        "unix:/.+|\\S+:[0-9]{1,5}");
  }

  /** What the admin port binds: HTTP over TCP. */
  static Type.Scalar adminAddress() {
    return string(
        "host:port or [IPv6]:port",
        text -> Address.parse(text).filter(Address.Tcp.class::isInstance).orElse(null),
        "\\S+:[0-9]{1,5}");
  }

  /** Who a node is to others: nothing is looked up. */
  static Type.Scalar nodeAddress() {
    return string(
        "an IP address and a port, such as 10.0.0.1:7000 or [2001:db8::1]:7000",
        text ->
            Address.parse(text)
                .filter(a -> a instanceof Address.Tcp tcp && tcp.isNode())
                .orElse(null),
        "\\S+:[0-9]{1,5}");
  }

  /** A node in a map of addresses. */
  static Type.Scalar nodeName() {
    return string(
        "an IP address, with or without a port, such as 10.0.0.1 or [2001:db8::1]:7000",
        text -> NodeName.parse(text).orElse(null),
        "\\S+");
  }

  /** Nodes that may be connected to. */
  static Type.Scalar peer() {
    return string(
        "an IP address, with or without a port, or a block of them, such as 10.0.0.1,"
            + " [2001:db8::1]:7000 or 10.0.0.0/8",
        text -> PeerName.parse(text).orElse(null),
        "\\S+");
  }

  /** A verb by its name. */
  static Type.Scalar verb() {
    return new Type.Scalar(
        "a verb as Cassandra calls it, such as READ_REQ",
        false,
        text -> Verbs.NAMES.contains(text) ? text : null,
        Map.of("enum", List.copyOf(Verbs.NAMES)));
  }

  static Type.Scalar server() {
    return string(
        "host:port, [IPv6]:port or unix:/path, then perhaps weight=1 to "
            + MAX_WEIGHT
            + " and name=NAME",
        Scalars::parseServer,
        "(unix:/\\S+|\\S+:[0-9]{1,5})( +weight=[0-9]{1,9}| +name=[!-~]{1,255}){0,2}");
  }

  /** Whether {@link #server} takes it. */
  public static boolean isServer(String text) {
    return parseServer(text) != null;
  }

  private static ServerConfig parseServer(String text) {
    String[] parts = text.split(" +", -1);
    String weight = null;
    String name = null;
    for (int i = 1; i < parts.length; i++) {
      Matcher weighed = WEIGHT.matcher(parts[i]);
      Matcher named = NAME.matcher(parts[i]);
      if (weight == null && weighed.matches()) {
        weight = weighed.group(1);
      } else if (name == null && named.matches()) {
        name = named.group(1);
      } else {
        return null;
      }
    }
    return server(parts[0], weight == null ? 1 : Integer.parseInt(weight), name);
  }

  private static ServerConfig server(String text, int weight, String name) {
    return Address.parse(text)
        .filter(a -> 1 <= weight && weight <= MAX_WEIGHT)
        .filter(a -> !(a instanceof Address.Tcp tcp) || tcp.port() > 0)
        .map(
            a ->
                name == null
                    ? new ServerConfig(a, weight, text)
                    : new ServerConfig(a, weight, name, Optional.empty(), true))
        .orElse(null);
  }

  /** A part of a key: what memcached's text protocol can carry in one. */
  static Type.Scalar keyPart() {
    return string(
        "1 to " + MAX_KEY_BYTES + " bytes without spaces or control characters",
        text -> {
          int length = text.getBytes(StandardCharsets.UTF_8).length;
          boolean clean = text.chars().allMatch(c -> c > ' ' && c != 0x7f);
          return 1 <= length && length <= MAX_KEY_BYTES && clean ? text : null;
        },
        "[^\\x00-\\x20\\x7f]{1,250}");
  }

  /** The two characters around the part of a key that is hashed. */
  static Type.Scalar tag() {
    return text(
        "two printable ASCII characters, such as {}",
        t -> t.length() == 2 && t.chars().allMatch(c -> c > ' ' && c < 0x7f),
        "[!-~]{2}");
  }

  /** A line that can be part of a reply. */
  static Type.Scalar replyText() {
    return text(
        "1 to 200 printable ASCII characters",
        t -> 1 <= t.length() && t.length() <= 200 && t.chars().allMatch(c -> c >= ' ' && c < 0x7f),
        "[ -~]{1,200}");
  }

  /** What is looked for inside values. */
  static Type.Scalar find() {
    return utf8(1, MAX_REPLACED_BYTES);
  }

  /** What stands in its place. */
  static Type.Scalar with() {
    return utf8(0, MAX_REPLACED_BYTES);
  }

  /** What Ignite calls a cache. */
  static Type.Scalar cacheName() {
    return utf8(1, MAX_CACHE_NAME_BYTES);
  }

  private static Type.Scalar utf8(int min, int max) {
    return text(
        min + " to " + max + " bytes of UTF-8",
        t -> {
          int length = t.getBytes(StandardCharsets.UTF_8).length;
          return min <= length && length <= max;
        },
        "[\\s\\S]{" + min + "," + max + "}");
  }

  /** Who logs in to servers. */
  public static Type.Scalar user() {
    return text(
        "1 to 250 bytes without spaces, control characters and colons",
        Credentials::isUser,
        "[^\\x00-\\x20\\x7f:]{1,250}");
  }

  /** What a certificate names. */
  static Type.Scalar clientName() {
    return utf8(1, MAX_CLIENT_BYTES);
  }

  /** What a meta client writes for proxies: protocol.txt's flags P and L, and what follows. */
  static Type.Scalar metaToken() {
    return text(
        "a meta token: P or L, and what clients write behind it without a space",
        t -> t.matches(META_TOKEN),
        META_TOKEN);
  }

  /** A file, from the directory of the configuration. */
  public static Type.Scalar file() {
    return text("the path of a file", t -> !t.isEmpty() && t.indexOf(0) < 0, "[\\s\\S]+");
  }

  /** A name or an IP address. */
  static Type.Scalar host() {
    return text(
        "a host name or an IP address", t -> Hosts.isNameOrIpv4(t) || Hosts.isIp(t), "\\S+");
  }

  /** A name that is looked up. */
  static Type.Scalar name() {
    return text("a host name", t -> Hosts.isNameOrIpv4(t) && !Hosts.isIp(t), "\\S+");
  }

  /** A name that is looked up, and the port of what is found. */
  static Type.Scalar nameAndPort() {
    return string(
        "a host name and a port, such as cache.example:11211",
        text -> tcp(text).filter(tcp -> !Hosts.isIp(tcp.host())).orElse(null),
        "\\S+:[0-9]{1,5}");
  }

  /** A port to connect to. */
  public static Type.Scalar hostAndPort() {
    return string("host:port or [IPv6]:port", text -> tcp(text).orElse(null), "\\S+:[0-9]{1,5}");
  }

  private static Optional<Address.Tcp> tcp(String text) {
    return Address.parse(text)
        .filter(Address.Tcp.class::isInstance)
        .map(Address.Tcp.class::cast)
        .filter(tcp -> tcp.port() > 0);
  }

  /** A name that is defined elsewhere in the file. */
  static Type.Scalar nameOf(String section) {
    return text("the name of one of the '" + section + "'", t -> !t.isEmpty(), "[\\s\\S]+");
  }

  private static Type.Scalar text(String expected, Predicate<String> valid, String pattern) {
    return string(expected, t -> valid.test(t) ? t : null, pattern);
  }

  private static Type.Scalar string(
      String expected, Function<String, Object> parser, String pattern) {
    Map<String, Object> schema = Map.of("type", "string", "pattern", "^(" + pattern + ")$");
    return new Type.Scalar(expected, false, parser, schema);
  }
}
