package sluice.perf.simulation;

import org.jspecify.annotations.Nullable;

/** Server program that runs on a host, without sockets: items, and connections to them. */
interface Program {
  /** Connection to it. */
  interface Session {
    /**
     * Carries out what has arrived.
     *
     * @return the replies
     */
    byte[] receive(byte[] bytes);

    /** Whether the program has closed it. */
    boolean isClosed();

    /** Closes it. */
    void close();
  }

  /** A further connection. */
  Session connect(int port);

  /** The value of a key; null for none. */
  byte @Nullable [] value(String key);

  /** Ends the program. */
  void close();
}
