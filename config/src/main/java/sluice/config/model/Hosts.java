package sluice.config.model;

import java.util.regex.Pattern;

/** Syntax of hosts: RFC 1123 names, dotted quads, and RFC 4291 addresses with an RFC 4007 zone. */
public final class Hosts {
  private static final Pattern NAME =
      Pattern.compile(
          "(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,62}))*\\.?");
  private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");
  private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  private static final Pattern IPV4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");
  private static final Pattern GROUP = Pattern.compile("[0-9A-Fa-f]{1,4}");
  private static final Pattern ZONE = Pattern.compile("[A-Za-z0-9._~-]+");
  private static final int GROUPS = 8;

  private Hosts() {}

  /** Whether it is a name that could be resolved, or an IPv4 address. */
  public static boolean isNameOrIpv4(String host) {
    return DIGITS_AND_DOTS.matcher(host).matches()
        ? IPV4.matcher(host).matches()
        : NAME.matcher(host).matches();
  }

  /** Whether it is an IP address without a zone. */
  public static boolean isIp(String host) {
    return IPV4.matcher(host).matches() || (host.indexOf('%') < 0 && isIpv6(host));
  }

  static boolean isIpv6(String host) {
    int percent = host.indexOf('%');
    if (percent >= 0 && !ZONE.matcher(host.substring(percent + 1)).matches()) {
      return false;
    }
    String address = percent >= 0 ? host.substring(0, percent) : host;
    int gap = address.indexOf("::");
    if (gap < 0) {
      return groups(address, true) == GROUPS;
    }
    int before = groups(address.substring(0, gap), false);
    int after = groups(address.substring(gap + 2), true);
    return before >= 0 && after >= 0 && before + after < GROUPS;
  }

  /**
   * Number of 16-bit groups in the text, where a dotted quad at its end counts as two; -1 if it is
   * no such list.
   */
  private static int groups(String text, boolean mayEndInQuad) {
    if (text.isEmpty()) {
      return 0;
    }
    String[] parts = text.split(":", -1);
    int count = 0;
    for (int i = 0; i < parts.length; i++) {
      if (GROUP.matcher(parts[i]).matches()) {
        count++;
      } else if (mayEndInQuad && i == parts.length - 1 && IPV4.matcher(parts[i]).matches()) {
        count += 2;
      } else {
        return -1;
      }
    }
    return count;
  }
}
