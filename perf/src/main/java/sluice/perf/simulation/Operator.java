package sluice.perf.simulation;

/** What operates the gateways. Clients ask it for changes at moments that matter to them. */
interface Operator {
  /** Changes the configuration of a gateway, which must cost its clients nothing. */
  void reload(String gateway);

  /** The same, with other near caches. */
  void replaceCaches(String gateway);

  /** Ends a gateway without a drain, and starts it again. */
  void restart(String gateway);

  /** Lets one of a gateway's event loops run nothing for that many nanoseconds, which are few. */
  void pauseLoop(String gateway, long nanos);
}
