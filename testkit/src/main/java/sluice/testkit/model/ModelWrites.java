package sluice.testkit.model;

/** Receiver of the writes that a model carries out. */
@FunctionalInterface
public interface ModelWrites {
  /** A key was set to a value, with these flags. */
  void stored(String key, long flags);

  /** Bytes were appended or prepended to the value of a key. */
  default void joined(String key, byte[] added) {
    // most receivers need only whole values
  }

  /** A time to live was set for a key: seconds as in a request, 0 for no expiry. */
  default void lives(String key, long seconds) {
    // most items never expire
  }
}
