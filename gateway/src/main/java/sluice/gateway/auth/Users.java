package sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import sluice.config.model.Credentials;

/**
 * Users who may log in. The time of a look-up reveals nothing about the entries. Each is kept as
 * its HMAC under a key of this process, and a login is compared with all of them completely.
 * Immutable.
 */
public final class Users {
  private static final String HMAC = "HmacSHA256";

  /** Longer than any entry of the file, and so never valid. */
  private static final int MAX_BYTES = 1024;

  private final SecretKeySpec key;
  private final byte[][] entries;

  /** The users with these credentials. */
  public Users(List<Credentials> users) {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    key = new SecretKeySpec(random, HMAC);
    entries = users.stream().map(this::entry).toArray(byte[][]::new);
  }

  private byte[] entry(Credentials credentials) {
    byte[] user = credentials.user().getBytes(UTF_8);
    byte[] password = credentials.password().getBytes(UTF_8);
    byte[] login = new byte[user.length + password.length];
    System.arraycopy(user, 0, login, 0, user.length);
    System.arraycopy(password, 0, login, user.length, password.length);
    return hmac(login, 0, user.length, user.length, login.length);
  }

  /**
   * Whether there is an entry for user and password: [user, userEnd) and [password, end) of login.
   */
  public boolean admit(byte[] login, int user, int userEnd, int password, int end) {
    if (end - user > MAX_BYTES) {
      return false;
    }
    byte[] presented = hmac(login, user, userEnd, password, end);
    boolean admitted = false;
    for (byte[] entry : entries) {
      admitted |= MessageDigest.isEqual(entry, presented);
    }
    return admitted;
  }

  /**
   * The HMAC, which includes the user's length so that the border between user and password
   * matters.
   */
  private byte[] hmac(byte[] login, int user, int userEnd, int password, int end) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(key);
      int length = userEnd - user;
      mac.update((byte) (length >> 8));
      mac.update((byte) length);
      mac.update(login, user, length);
      mac.update(login, password, end - password);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java without " + HMAC, e);
    }
  }
}
