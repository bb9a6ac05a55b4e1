package sluice.gateway.server.connection;

/**
 * Generator of opaques for one connection: no two requests in flight share one. Where event loops
 * share connections, the upper bits identify the pipe that a request came through.
 */
public final class Opaques {
  private static final int BITS_OF_ONE = 22;

  /** The most pipes of one connection that can be distinguished. */
  public static final int MOST_PIPES = 0x7FFFFFFF >>> BITS_OF_ONE;

  private final int first;
  private final int last;
  private int next;

  /**
   * Opaques from first on.
   *
   * @param shared whether event loops share the connections
   */
  Opaques(int first, boolean shared) {
    this.first = first;
    this.last = shared ? (1 << BITS_OF_ONE) - 1 : Integer.MAX_VALUE;
  }

  /** The first opaque for a pipe, from 1 to {@link #MOST_PIPES}. */
  public static int firstOf(int pipe) {
    return pipe << BITS_OF_ONE;
  }

  int next() {
    next = (next + 1) & last;
    return first | next;
  }
}
