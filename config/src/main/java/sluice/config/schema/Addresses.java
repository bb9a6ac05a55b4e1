package sluice.config.schema;

import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import sluice.config.model.Hosts;
import sluice.config.problems.Nearest;

/** Conversion of other programs' spellings of addresses to this file's. */
final class Addresses {
  private static final int LONGEST = 300;
  private static final String MEMCACHED = ":11211";
  private static final String LOOPBACK = "127.0.0.1:";
  private static final String WILDCARD = "0.0.0.0:";
  private static final String UNIX = "unix:";

  private static final Pattern SCHEME = Pattern.compile("[a-z]{2,12}://(?=[^/])");
  private static final Pattern SOCKET = Pattern.compile("(?:unix:)?/*(/[^/].*)");
  private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
  private static final Pattern ANYWHERE = Pattern.compile("\\*?:([0-9]{1,5})");

  /** twemproxy's servers, with a weight and perhaps a name after the port. */
  private static final Pattern WEIGHED =
      Pattern.compile("([^ ]+:[0-9]{1,5}):([0-9]{1,7})(?: +([!-~]+))?");

  /** A weight or a name after a character other than {@code =}, or with spaces around it. */
  private static final Pattern OTHER_SIGN =
      Pattern.compile(" +(weight|name)(?: *: *| += *| *= +| +)(?=[^ =:])");

  /** A setting of a server, after its address. */
  private static final Pattern SETTING = Pattern.compile("(?<= )[a-z]{1,20}(?==)");

  private static final List<String> SETTINGS = List.of("weight", "name");

  private Addresses() {}

  private static String nearestSetting(MatchResult written) {
    return Nearest.to(written.group(), SETTINGS).orElse(written.group());
  }

  /**
   * The likely meaning of a text as an address to listen on.
   *
   * @param port is added to a host alone
   */
  static Stream<String> listening(String text, int port) {
    String plain = plain(text);
    Matcher anywhere = ANYWHERE.matcher(plain);
    if (PORT.matcher(plain).matches()) {
      return Stream.of(LOOPBACK + plain);
    }
    return anywhere.matches() ? Stream.of(WILDCARD + anywhere.group(1)) : any(plain, ":" + port);
  }

  /** The likely meaning of a text as a server. */
  static Stream<String> ofServer(String text) {
    String plain = plain(text);
    if (OTHER_SIGN.matcher(plain).find()) {
      return Stream.of(OTHER_SIGN.matcher(plain).replaceAll(" $1="));
    }
    String written = stripped(text);
    String known = SETTING.matcher(written).replaceAll(Addresses::nearestSetting);
    if (!known.equals(written)) {
      return Stream.of(known);
    }
    Matcher weighed = WEIGHED.matcher(plain);
    if (Hosts.isIp(plain) || !weighed.matches() || isIpv6WithPort(plain)) {
      return any(plain, MEMCACHED);
    }
    String name = weighed.group(3) == null ? "" : " name=" + weighed.group(3);
    return Stream.of(weighed.group(1) + " weight=" + weighed.group(2) + name);
  }

  private static String stripped(String text) {
    return text.length() > LONGEST ? "" : text.strip();
  }

  /**
   * The text in lower case unless it is a path, without spaces around it and without the scheme of
   * a URL.
   */
  private static String plain(String text) {
    String stripped = stripped(text);
    boolean path = stripped.startsWith("/") || stripped.startsWith(UNIX);
    String lower = path ? stripped : stripped.toLowerCase(Locale.ROOT);
    return SCHEME.matcher(lower).replaceFirst("").replaceFirst("(?<=[0-9])/+$", "");
  }

  private static Stream<String> any(String plain, String port) {
    Matcher socket = SOCKET.matcher(plain);
    if (socket.matches()) {
      return Stream.of(UNIX + socket.group(1));
    }
    if (isIpv6(plain) && !isIpv6WithPort(plain)) {
      return Stream.of("[" + plain + "]" + port);
    }
    int last = plain.lastIndexOf(':');
    return isIpv6WithPort(plain)
        ? Stream.of("[" + plain.substring(0, last) + "]" + plain.substring(last))
        : Stream.of(plain, plain.replaceFirst(" +(?=[0-9]+$)", ":"), plain + port)
            .filter(each -> each.indexOf(' ') < 0);
  }

  /** Whether it is an IPv6 address followed by a port: four digits or more, or no address. */
  private static boolean isIpv6WithPort(String plain) {
    int last = plain.lastIndexOf(':');
    return last > 0
        && isIpv6(plain.substring(0, last))
        && PORT.matcher(plain.substring(last + 1)).matches()
        && (plain.length() - last > 4 || !isIpv6(plain));
  }

  private static boolean isIpv6(String plain) {
    return plain.indexOf(':') >= 0 && Hosts.isIp(plain);
  }
}
