package sluice.codecs.memcached;

import java.util.regex.Pattern;

/**
 * Version that a server reports. It determines how to read lines that versions of memcached read
 * differently (protocols/memcached.md, 2.3 and 8).
 */
public record ServerVersion(int major, int minor, int patch, Origin origin)
    implements Comparable<ServerVersion> {
  /** Meaning of a version's numbers. */
  public enum Origin {
    /** A server has reported a version of memcached. */
    REPORTED,
    /** No number is known yet, and one is assumed. */
    ASSUMED,
    /** A server is not memcached: its numbers do not show what it understands. */
    FOREIGN
  }

  /** The version that the embedded store reports. */
  public static final ServerVersion EMBEDDED = new ServerVersion(1, 6, 45);

  /** Assumed for a server whose version is not known yet. */
  public static final ServerVersion UNKNOWN = new ServerVersion(1, 6, 18, Origin.ASSUMED);

  /** Beginnings of memcached's versions: there is no 1.7 yet, and moxi has some of these. */
  private static final Pattern MEMCACHED = Pattern.compile("1\\.[4-6]\\.\\d");

  /** Version of a memcached that was built from Git without tags (its version.pl). */
  private static final String WITHOUT_TAGS = "UNKNOWN";

  /** A version that a server has reported. */
  public ServerVersion(int major, int minor, int patch) {
    this(major, minor, patch, Origin.REPORTED);
  }

  /**
   * The version of a server that reports this text. Proxies and servers of similar protocols also
   * answer {@code version}, with their own numbers: such a version is {@link Origin#FOREIGN}.
   */
  public static ServerVersion reported(String text) {
    if (text.equals(WITHOUT_TAGS)) {
      return UNKNOWN;
    }
    ServerVersion version = parse(text);
    return MEMCACHED.matcher(text).lookingAt()
        ? version
        : new ServerVersion(version.major, version.minor, version.patch, Origin.FOREIGN);
  }

  /** Reads {@code 1.6.18}, {@code 1.6.18_1}, {@code 1.4}; {@link #UNKNOWN} for anything else. */
  public static ServerVersion parse(String text) {
    int[] parts = new int[3];
    int part = 0;
    boolean digits = false;
    for (int i = 0; i < text.length() && part < 3; i++) {
      char c = text.charAt(i);
      if (c >= '0' && c <= '9' && parts[part] < 100_000) {
        parts[part] = parts[part] * 10 + (c - '0');
        digits = true;
      } else if (c == '.') {
        part++;
      } else {
        break;
      }
    }
    return digits ? new ServerVersion(parts[0], parts[1], parts[2]) : UNKNOWN;
  }

  /** Whether a server has reported it as a version of memcached. */
  public boolean isKnown() {
    return origin == Origin.REPORTED;
  }

  /** Whether it is that of a server that is not memcached. */
  public boolean isForeign() {
    return origin == Origin.FOREIGN;
  }

  /** From 1.6.40 on: text lines are read by the parser that the built-in proxy uses. */
  public boolean readsLinesAsProxy() {
    return atLeast(1, 6, 40);
  }

  /**
   * From 1.6.10 on: the meta commands in today's form. Before that, {@code ms} carries its value's
   * length in a flag, and a separate length is read as an unknown flag.
   */
  public boolean speaksMeta() {
    return atLeast(1, 6, 10);
  }

  /** From 1.5.3 on: {@code gat} and {@code gats}. */
  public boolean touchesReads() {
    return atLeast(1, 5, 3);
  }

  /** From 1.6.45 on: a plus sign in numbers is an error, and 32-bit numbers do not wrap. */
  public boolean readsNumbersStrictly() {
    return atLeast(1, 6, 45);
  }

  /** From 1.6.18 on: {@code EN} repeats the opaque. */
  public boolean echoesOpaqueOnMiss() {
    return atLeast(1, 6, 18);
  }

  /**
   * From 1.6.27 on: the meta flags {@code E} and {@code x}. True while the version is unknown: the
   * server itself then refuses what it does not know. Also true for a server that is not memcached:
   * it gets no meta line, and the bridge to it refuses flags without another form.
   */
  public boolean hasFlagsEAndX() {
    return !isKnown() || atLeast(1, 6, 27);
  }

  private boolean atLeast(int wantMajor, int wantMinor, int wantPatch) {
    return !isForeign() && compare(wantMajor, wantMinor, wantPatch) >= 0;
  }

  @Override
  public int compareTo(ServerVersion other) {
    return compare(other.major, other.minor, other.patch);
  }

  private int compare(int otherMajor, int otherMinor, int otherPatch) {
    if (major != otherMajor) {
      return Integer.compare(major, otherMajor);
    }
    return minor != otherMinor
        ? Integer.compare(minor, otherMinor)
        : Integer.compare(patch, otherPatch);
  }

  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
