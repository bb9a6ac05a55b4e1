package sluice.codecs.memcached.binary;

/**
 * View of the message of SASL's mechanism PLAIN (RFC 4616, section 2): who somebody is, and his
 * password.
 *
 * <pre>
 *   [authorization identity] NUL user NUL password
 * </pre>
 *
 * <p>Positions are indexes of the wrapped array. A view owns nothing: it is good until the next
 * wrap.
 */
public final class PlainMessage {
  private byte[] message = new byte[0];
  private int user;
  private int userEnd;

  /**
   * Reads message. Borrows it.
   *
   * @return whether it is one, and asks to act as nobody else than the user: as cyrus-sasl's PLAIN
   *     plugin, which takes no third NUL and by default no other identity
   */
  public boolean wrap(byte[] message) {
    this.message = message;
    int first = nul(0);
    int second = nul(first + 1);
    user = first + 1;
    userEnd = second;
    return second < message.length && nul(second + 1) == message.length && isNobodyElse(first);
  }

  private int nul(int from) {
    int at = from;
    while (at < message.length && message[at] != 0) {
      at++;
    }
    return at;
  }

  private boolean isNobodyElse(int end) {
    return end == 0 || java.util.Arrays.equals(message, 0, end, message, user, userEnd);
  }

  /** Where the user starts. */
  public int userStart() {
    return user;
  }

  /** Where the user ends, exclusive. */
  public int userEnd() {
    return userEnd;
  }

  /** Where the password starts; it ends with the message. */
  public int passwordStart() {
    return userEnd + 1;
  }
}
