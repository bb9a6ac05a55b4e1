package sluice.codecs.memcached.bridge;

/** What only the meta commands can say, for those who have to refuse it. */
final class MetaWords {
  private static final String[] REASONS = new String[128];

  static {
    for (char letter : "CEINRTux".toCharArray()) {
      REASONS[letter] = "meta flag " + letter + " in the servers' dialect";
    }
  }

  private MetaWords() {}

  /** Why a request with a flag of this letter cannot be sent. */
  static String reason(byte letter) {
    return REASONS[letter];
  }
}
