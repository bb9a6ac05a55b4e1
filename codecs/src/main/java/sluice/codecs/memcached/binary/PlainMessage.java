package sluice.codecs.memcached.binary;

/**
 * View of the message of SASL's mechanism PLAIN (RFC 4616, section 2), which names a user and gives
 * the password.
 *
 * <pre>
 *   [authorization identity] NUL user NUL password
 * </pre>
 *
 * <p>Positions are indexes of the wrapped array. A view owns nothing: it is valid until the next
 * wrap.
 */
public final class PlainMessage {
  private byte[] message = new byte[0];
  private int user;
  private int userEnd;

  /**
   * Wraps a message. Borrows it.
   *
   * @return whether it is valid and requests no other authorization identity than the user. As in
   *     cyrus-sasl's PLAIN plugin, a third NUL is invalid
   */
  public boolean wrap(byte[] message) {
    this.message = message;
    int first = nul(0);
    int second = nul(first + 1);
    user = first + 1;
    userEnd = second;
    return second < message.length && nul(second + 1) == message.length && isUserOrEmpty(first);
  }

  private int nul(int from) {
    int at = from;
    while (at < message.length && message[at] != 0) {
      at++;
    }
    return at;
  }

  private boolean isUserOrEmpty(int end) {
    return end == 0 || java.util.Arrays.equals(message, 0, end, message, user, userEnd);
  }

  /** Index where the user starts. */
  public int userStart() {
    return user;
  }

  /** Index where the user ends, exclusive. */
  public int userEnd() {
    return userEnd;
  }

  /** Index where the password starts; it ends with the message. */
  public int passwordStart() {
    return userEnd + 1;
  }
}
