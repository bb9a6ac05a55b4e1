package sluice.testkit.model;

/** Receiver of the writes that a model carries out. */
@FunctionalInterface
public interface ModelWrites {
  /** A key has got a value, with these flags. */
  void stored(String key, long flags);

  /** Bytes were appended or prepended to the value of a key. */
  default void joined(String key, byte[] added) {
    // most ask for whole values alone
  }

  /** A key is given a time to live: seconds as in a request, 0 for ever. */
  default void lives(String key, long seconds) {
    // most items live for ever
  }
}
