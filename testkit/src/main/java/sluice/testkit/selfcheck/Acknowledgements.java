package sluice.testkit.selfcheck;

/**
 * Listener for every successful write of a {@link SelfCheck}, which is known from its reply or from
 * the silence in a run of quiet requests. Called on the checking thread, before the next reply is
 * examined.
 */
public interface Acknowledgements {
  /** A listener that does nothing. */
  Acknowledgements NONE =
      new Acknowledgements() {
        @Override
        public void stored(
            String dialect, String key, int flags, long sentNanos, long answeredNanos) {}

        @Override
        public void deleted(String dialect, String key, long sentNanos, long answeredNanos) {}

        @Override
        public void retired(String key) {}
      };

  /**
   * A value was stored.
   *
   * @param dialect the client's: text, meta or binary
   * @param key as the client named it, not encoded
   * @param flags of the value, which no other write to the key has
   * @param sentNanos when the request was written, as {@link System#nanoTime} counts
   * @param answeredNanos when its success became known
   */
  void stored(String dialect, String key, int flags, long sentNanos, long answeredNanos);

  /** A key was deleted; as for {@link #stored}. */
  void deleted(String dialect, String key, long sentNanos, long answeredNanos);

  /** No later request will have this key. */
  void retired(String key);
}
