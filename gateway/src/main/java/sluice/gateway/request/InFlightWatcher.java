package sluice.gateway.request;

/** Observer of how long a request is in flight. From any event loop. */
public interface InFlightWatcher {
  /** The request is about to be sent. */
  void begin(long what);

  /** The request is answered, or no client waits and its server is done with it. */
  void end(long what);
}
