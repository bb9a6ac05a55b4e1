package sluice.gateway.server.connection;

import sluice.gateway.server.protocol.ServerContext;

/**
 * Generator of opaques for one connection: no two requests in flight share one, even if one of them
 * was first sent over another connection of the event loop to the server. Where event loops share
 * connections, the upper bits identify the pipe that a request came through.
 */
public final class Opaques {
  private static final int BITS_OF_ONE = 22;

  /** The most pipes of one connection that can be distinguished. */
  public static final int MOST_PIPES = 0x7FFFFFFF >>> BITS_OF_ONE;

  private final int first;
  private final int last;
  private final ServerContext numbers;

  /**
   * Opaques from first on.
   *
   * @param shared whether event loops share the connections
   * @param numbers counts for all connections of the event loop to the server
   */
  Opaques(int first, boolean shared, ServerContext numbers) {
    this.first = first;
    this.last = shared ? (1 << BITS_OF_ONE) - 1 : Integer.MAX_VALUE;
    this.numbers = numbers;
  }

  /** The first opaque for a pipe, from 1 to {@link #MOST_PIPES}. */
  public static int firstOf(int pipe) {
    return pipe << BITS_OF_ONE;
  }

  int next() {
    return first | (numbers.nextOpaque() & last);
  }
}
