package sluice.config.model;

/** Request being explained. It collects sentences, and knows how pools place its key. */
public interface ExplainedRequest {
  /** Adds a sentence, in the order in which things happen to the request. */
  void say(String sentence);

  /** Explains how a pool places the key; returns the server's name. */
  String place(String pool);

  /** Explains how another pool places the key, if its server may also answer the request. */
  void placeAlso(String pool);
}
