package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;

/**
 * Names of statistics whose lines contain no bytes that clients have written.
 *
 * <p>Lines of any other name may contain raw keys, line ends included, as {@code detail dump} and
 * {@code cachedump} do. A client that stores such a key could forge replies to other requests of
 * the connection. memcached matches names by their beginning, so only whole names are listed here.
 */
public final class StatsNames {
  private static final String[] NAMES = {
    "settings", "items", "slabs", "sizes", "conns", "reset", "extstore", "detail on", "detail off"
  };

  private StatsNames() {}

  /** Whether [from, to) is empty or one of these names. Borrows buffer. */
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
