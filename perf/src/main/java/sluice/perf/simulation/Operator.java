package sluice.perf.simulation;

/** What operates the gateways. Clients ask it for changes at moments that matter to them. */
interface Operator {
  /** Changes the configuration of a gateway, which must cost its clients nothing. */
  void reload(String gateway);

  /** The same, with other near caches. */
  void replaceCaches(String gateway);

  /** Ends a gateway without a drain, and starts it again. */
  void restart(String gateway);

  /**
   * For that many nanoseconds, lets servers execute the next requests on each connection that is
   * open now, and end it instead of replying.
   */
  void loseReplies(long nanos);

  /** Lets one server of the second pool vanish from the network for that many nanoseconds. */
  void vanish(long nanos);

  /** Lets one of a gateway's event loops run nothing for that many nanoseconds, which are few. */
  void pauseLoop(String gateway, long nanos);
}
