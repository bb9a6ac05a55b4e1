package sluice.gateway.exchange;

/** Something that has to know for how long a request is under way. From any event loop. */
public interface Guard {
  /** The request is about to be sent. */
  void begin(long what);

  /** The request is answered, or nobody waits for it and its server has said what became of it. */
  void end(long what);
}
