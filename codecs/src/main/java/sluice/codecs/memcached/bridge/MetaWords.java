package sluice.codecs.memcached.bridge;

/** Reasons for refusing flags that only the meta commands have. */
final class MetaWords {
  private static final String[] REASONS = new String[128];

  static {
    for (char letter : "CEINRTux".toCharArray()) {
      REASONS[letter] = "meta flag " + letter + " in the servers' dialect";
    }
  }

  private MetaWords() {}

  /** The reason why a request with a flag of this letter cannot be sent. */
  static String reason(byte letter) {
    return REASONS[letter];
  }
}
