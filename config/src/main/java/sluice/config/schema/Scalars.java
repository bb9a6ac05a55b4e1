package sluice.config.schema;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Address;
import sluice.config.model.Credentials;
import sluice.config.model.Hosts;
import sluice.config.model.NodeName;
import sluice.config.model.PeerName;
import sluice.config.model.ServerConfig;
import sluice.names.Labelled;
import sluice.names.Verb;

/** Scalar types of words: names, addresses, files and texts; {@link Quantities} has the numbers. */
public final class Scalars {
  private static final Pattern WEIGHT = Pattern.compile("weight=([0-9]{1,9})");
  private static final Pattern NAME = Pattern.compile("name=([!-~]{1,255})");
  private static final long MAX_WEIGHT = 1_000_000;
  private static final int MAX_KEY_BYTES = 250;
  private static final int MAX_REPLACED_BYTES = 1024;

  /** The longest SPIFFE ID in bytes. */
  private static final int MAX_CLIENT_BYTES = 2048;

  private static final String HEADER_NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}";
  private static final String HEADER_VALUE = "[!-~]([ -~]*[!-~])?";
  private static final int LONGEST_HEADER_VALUE = 4096;
  private static final String ATTRIBUTE_NAME = "[A-Za-z][A-Za-z0-9_./-]{0,127}";
  private static final String META_TOKEN = "[PL][!-~]{0,249}";

  /** A request's extras are at most 255 bytes, and the first 20 of a counter's are numbers. */
  private static final int MAX_CACHE_NAME_BYTES = 119;

  private Scalars() {}

  /** A constant of the enum, by its label. */
  public static <E extends Enum<E> & Labelled> Type.Scalar<E> choice(Class<E> type) {
    Map<String, E> byLabel = new LinkedHashMap<>();
    Arrays.stream(type.getEnumConstants()).forEach(c -> byLabel.put(c.label(), c));
    return new Type.Scalar<>(
        String.join(" | ", byLabel.keySet()),
        false,
        byLabel::get,
        Labelled::label,
        Map.of("enum", List.copyOf(byLabel.keySet())));
  }

  /** The label of one of the constants. */
  public static Type.Scalar<String> label(Collection<? extends Labelled> constants) {
    List<String> labels = constants.stream().map(Labelled::label).toList();
    return label(String.join(" | ", labels), labels);
  }

  private static Type.Scalar<String> label(String expected, List<String> labels) {
    return new Type.Scalar<>(
        expected,
        false,
        text -> labels.contains(text) ? text : null,
        t -> t,
        Map.of("enum", labels));
  }

  /** An address that a listener binds: port 0 is any free port. */
  public static Type.Scalar<Address> bindAddress() {
    return string(
            "host:port, [IPv6]:port or unix:/path",
            text -> Address.parse(text).orElse(null),
            Address::label,
            "unix:/.*\\S|\\S+:[0-9]{1,5}")
        .spelt(text -> Addresses.listening(text, 11211));
  }

  /** An address that the admin port binds: HTTP over TCP. */
  public static Type.Scalar<Address> adminAddress() {
    return string(
            "host:port or [IPv6]:port",
            text -> Address.parse(text).filter(Address.Tcp.class::isInstance).orElse(null),
            Address::label,
            "\\S+:[0-9]{1,5}")
        .spelt(text -> Addresses.listening(text, 9901));
  }

  /** A node's own address: nothing is looked up. */
  public static Type.Scalar<Address.Tcp> nodeAddress() {
    return string(
        "an IP address and a port, such as 10.0.0.1:7000 or [2001:db8::1]:7000",
        text ->
            Address.parse(text)
                .filter(Address.Tcp.class::isInstance)
                .map(Address.Tcp.class::cast)
                .filter(Address.Tcp::isNode)
                .orElse(null),
        Address::label,
        "\\S+:[0-9]{1,5}");
  }

  /** A node in a map of addresses. */
  public static Type.Scalar<NodeName> nodeName() {
    return string(
        "an IP address, with or without a port, such as 10.0.0.1 or [2001:db8::1]:7000",
        text -> NodeName.parse(text).orElse(null),
        NodeName::label,
        "\\S+");
  }

  /** Nodes that may be connected to. */
  public static Type.Scalar<PeerName> peer() {
    return string(
        "an IP address, with or without a port, or a block of them, such as 10.0.0.1,"
            + " [2001:db8::1]:7000 or 10.0.0.0/8",
        text -> PeerName.parse(text).orElse(null),
        PeerName::label,
        "\\S+");
  }

  /** A verb by its name. */
  public static Type.Scalar<String> verb() {
    return label(
        "a verb as Cassandra calls it, such as READ_REQ",
        Arrays.stream(Verb.values()).filter(v -> v != Verb.UNKNOWN).map(Verb::label).toList());
  }

  public static Type.Scalar<ServerConfig> server() {
    return string(
            "host:port, [IPv6]:port or unix:/path, optionally followed by weight=1 to "
                + MAX_WEIGHT
                + " and name=NAME",
            Scalars::parseServer,
            ServerConfig::label,
            "(unix:/\\S+|\\S+:[0-9]{1,5})( +weight=[0-9]{1,9}| +name=[!-~]{1,255}){0,2}")
        .spelt(Addresses::ofServer);
  }

  /** Whether {@link #server} accepts it. */
  public static boolean isServer(String text) {
    return parseServer(text) != null;
  }

  private static @Nullable ServerConfig parseServer(String text) {
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

  private static @Nullable ServerConfig server(String text, int weight, @Nullable String name) {
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

  /** A part of a key: bytes that memcached's text protocol can carry in one. */
  public static Type.Scalar<String> keyPart() {
    return string(
        "1 to " + MAX_KEY_BYTES + " bytes without spaces or control characters",
        text -> {
          int length = text.getBytes(StandardCharsets.UTF_8).length;
          boolean clean = text.chars().allMatch(c -> c > ' ' && c != 0x7f);
          return 1 <= length && length <= MAX_KEY_BYTES && clean ? text : null;
        },
        text -> text,
        "[^\\x00-\\x20\\x7f]{1,250}");
  }

  /** The two characters around the part of a key that is hashed. */
  public static Type.Scalar<String> tag() {
    return text(
        "two printable ASCII characters, such as {}",
        t -> t.length() == 2 && t.chars().allMatch(c -> c > ' ' && c < 0x7f),
        "[!-~]{2}");
  }

  /** A line that can be part of a reply. */
  public static Type.Scalar<String> replyText() {
    return text(
        "1 to 200 printable ASCII characters",
        t -> 1 <= t.length() && t.length() <= 200 && t.chars().allMatch(c -> c >= ' ' && c < 0x7f),
        "[ -~]{1,200}");
  }

  /** A text to find inside values. */
  public static Type.Scalar<String> find() {
    return utf8(1, MAX_REPLACED_BYTES);
  }

  /** A text that replaces it. */
  public static Type.Scalar<String> with() {
    return utf8(0, MAX_REPLACED_BYTES);
  }

  /** A URL of HTTP or HTTPS. A user and a query are printed masked: they may be secrets. */
  public static Type.Scalar<URI> httpUrl() {
    return string(
        "a URL such as http://collector:4318/v1/metrics",
        Scalars::parseUrl,
        Scalars::printUrl,
        "https?://\\S+");
  }

  private static @Nullable URI parseUrl(String text) {
    try {
      URI url = new URI(text);
      boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      return http && url.getHost() != null && url.getFragment() == null ? url : null;
    } catch (URISyntaxException e) {
      return null;
    }
  }

  private static String printUrl(URI url) {
    String text = url.toString();
    if (url.getRawUserInfo() != null) {
      text = text.replace("//" + url.getRawUserInfo() + '@', "//***@");
    }
    return url.getRawQuery() == null ? text : text.substring(0, text.indexOf('?')) + "?***";
  }

  /** The name of a header of HTTP. */
  public static Type.Scalar<String> headerName() {
    return text("the name of an HTTP header", t -> t.matches(HEADER_NAME), HEADER_NAME);
  }

  /** The value of a header of HTTP, which is printed masked: it may be a secret. */
  public static Type.Scalar<String> headerValue() {
    return string(
        "1 to 4096 printable ASCII characters",
        text -> text.length() <= LONGEST_HEADER_VALUE && text.matches(HEADER_VALUE) ? text : null,
        text -> "***",
        HEADER_VALUE);
  }

  /** The name of an attribute of OpenTelemetry. */
  public static Type.Scalar<String> attributeName() {
    return text(
        "the name of an attribute, such as service.name",
        t -> t.matches(ATTRIBUTE_NAME),
        ATTRIBUTE_NAME);
  }

  /** The value of an attribute of OpenTelemetry. */
  public static Type.Scalar<String> attributeValue() {
    return utf8(1, MAX_REPLACED_BYTES);
  }

  /** The name of an Ignite cache. */
  public static Type.Scalar<String> cacheName() {
    return utf8(1, MAX_CACHE_NAME_BYTES);
  }

  private static Type.Scalar<String> utf8(int min, int max) {
    return text(
        min + " to " + max + " bytes of UTF-8",
        t -> {
          int length = t.getBytes(StandardCharsets.UTF_8).length;
          return min <= length && length <= max;
        },
        "[\\s\\S]{" + min + "," + max + "}");
  }

  /** A user who logs in to servers. */
  public static Type.Scalar<String> user() {
    return text(
        "1 to 250 bytes without spaces, control characters and colons",
        Credentials::isUser,
        "[^\\x00-\\x20\\x7f:]{1,250}");
  }

  /** A name in a certificate. */
  public static Type.Scalar<String> clientName() {
    return utf8(1, MAX_CLIENT_BYTES);
  }

  /** A meta client's tokens for proxies: protocol.txt's flags P and L, and their argument. */
  public static Type.Scalar<String> metaToken() {
    return text(
        "a meta token: P or L, and the text that follows it without a space",
        t -> t.matches(META_TOKEN),
        META_TOKEN);
  }

  /** A file, relative to the directory of the configuration. */
  public static Type.Scalar<String> file() {
    return text("the path of a file", t -> !t.isEmpty() && t.indexOf(0) < 0, "[\\s\\S]+");
  }

  /** A name or an IP address. */
  public static Type.Scalar<String> host() {
    return text(
        "a host name or an IP address", t -> Hosts.isNameOrIpv4(t) || Hosts.isIp(t), "\\S+");
  }

  /** A name that is resolved. */
  public static Type.Scalar<String> name() {
    return text("a host name", t -> Hosts.isNameOrIpv4(t) && !Hosts.isIp(t), "\\S+");
  }

  /** A name that is resolved, and the port of the hosts found. */
  public static Type.Scalar<Address.Tcp> nameAndPort() {
    return string(
        "a host name and a port, such as cache.example:11211",
        text -> tcp(text).filter(tcp -> !Hosts.isIp(tcp.host())).orElse(null),
        Address::label,
        "\\S+:[0-9]{1,5}");
  }

  /** A port to connect to. */
  public static Type.Scalar<Address.Tcp> hostAndPort() {
    return string(
        "host:port or [IPv6]:port",
        text -> tcp(text).orElse(null),
        Address::label,
        "\\S+:[0-9]{1,5}");
  }

  private static Optional<Address.Tcp> tcp(String text) {
    return Address.parse(text)
        .filter(Address.Tcp.class::isInstance)
        .map(Address.Tcp.class::cast)
        .filter(tcp -> tcp.port() > 0);
  }

  /** A name that is defined elsewhere in the file. */
  public static Type.Scalar<String> nameOf(String section) {
    return text("the name of one of the '" + section + "'", t -> !t.isEmpty(), "[\\s\\S]+");
  }

  private static Type.Scalar<String> text(
      String expected, Predicate<String> valid, String pattern) {
    return string(expected, t -> valid.test(t) ? t : null, t -> t, pattern);
  }

  /**
   * A string with its own syntax.
   *
   * @param expected how a problem describes valid values
   * @param parser returns null for an invalid text
   * @param writer the inverse of parser
   * @param pattern the schema's regular expression for the whole string
   */
  public static <T> Type.Scalar<T> string(
      String expected, Function<String, T> parser, Function<T, Object> writer, String pattern) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "string");
    schema.put("pattern", "^(" + pattern + ")$");
    return new Type.Scalar<>(expected, false, parser, writer, schema);
  }
}
