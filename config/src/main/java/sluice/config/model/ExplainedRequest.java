package sluice.config.model;

/** A request that is explained: takes what is said of it, and knows where pools place its key. */
public interface ExplainedRequest {
  /** Takes a sentence, in the order in which things happen to the request. */
  void say(String sentence);

  /** Says how a pool places the key, and returns the server, for people. */
  String place(String pool);

  /** Says how another pool places the key, whose server may answer the request, too. */
  void placeAlso(String pool);
}
