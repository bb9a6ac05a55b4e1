package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;

/**
 * Names of statistics whose lines hold nothing that clients have written.
 *
 * <p>The lines of any other name may hold keys as they are, line ends included: {@code detail dump}
 * and {@code cachedump} do. Whoever stores such a key would write the replies to other requests on
 * the same connection. memcached takes the beginning of a name for the name, so only whole ones are
 * here.
 */
public final class StatsNames {
  private static final String[] NAMES = {
    "settings", "items", "slabs", "sizes", "conns", "reset", "extstore", "detail on", "detail off"
  };

  private StatsNames() {}

  /** Whether [from, to) is empty or one of those names. Borrows buffer. */
  public static boolean areLinesOfTheServer(ByteBuf buffer, int from, int to) {
    if (from == to) {
      return true;
    }
    for (String name : NAMES) {
      if (TextReply.is(buffer, from, to, name)) {
        return true;
      }
    }
    return false;
  }
}
