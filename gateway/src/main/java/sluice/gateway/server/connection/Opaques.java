package sluice.gateway.server.connection;

/**
 * Opaques of the requests on one connection: no two under way are alike. Where event loops share
 * connections, the upper bits say through which pipe a request came.
 */
public final class Opaques {
  private static final int BITS_OF_ONE = 22;

  /** Pipes of one connection that may be told apart. */
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

  /** The first of those that are for a pipe, from 1 to {@link #MOST_PIPES}. */
  public static int firstOf(int pipe) {
    return pipe << BITS_OF_ONE;
  }

  int next() {
    next = (next + 1) & last;
    return first | next;
  }
}
