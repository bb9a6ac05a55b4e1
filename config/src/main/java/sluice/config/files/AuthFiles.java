package sluice.config.files;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.model.Credentials;
import sluice.config.model.ListenerAuthConfig;
import sluice.config.model.PoolAuthConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;

/**
 * Reads the files that {@code auth} sections name, once, and says what is wrong with them where
 * they are named. A problem never shows what they hold.
 */
public final class AuthFiles {
  private static final String LIMIT = "1 to " + Credentials.MAX_BYTES + " bytes";

  private final FilesBeside files;
  private final Map<String, Optional<?>> known = new HashMap<>();

  /**
   * @param files reads them
   */
  public AuthFiles(FilesBeside files) {
    this.files = files;
  }

  /** The {@code users} of a listener; empty if they are not there or wrong. */
  public Optional<ListenerAuthConfig> listener(Fields auth) {
    Checked file = auth.get("users");
    return once(file, "a file of lines user:password", AuthFiles::users)
        .map(users -> new ListenerAuthConfig(FilesBeside.name(file), users));
  }

  /** The {@code user} and {@code passwordFile} of a pool; empty if they are not there or wrong. */
  public Optional<PoolAuthConfig> pool(Fields auth) {
    return login(auth)
        .map(login -> new PoolAuthConfig(FilesBeside.name(auth.get("passwordFile")), login));
  }

  /** The {@code user} and {@code passwordFile} of a section; empty if not there or wrong. */
  public Optional<Credentials> login(Fields section) {
    Optional<String> password =
        once(
            section.get("passwordFile"),
            "a file of one line, the password, of " + LIMIT,
            AuthFiles::password);
    return section
        .scalar("user", String.class)
        .flatMap(user -> password.map(p -> new Credentials(user, p)));
  }

  @SuppressWarnings("unchecked") // a path is of one section, and so of one kind of file
  private <T> Optional<T> once(Checked file, String expected, FilesBeside.Reader<T> reader) {
    Optional<T> read = (Optional<T>) known.get(file.path());
    if (read == null) {
      read = files.read(file, expected, reader);
      known.put(file.path(), read);
    }
    return read;
  }

  private static List<Credentials> users(byte[] file) throws UnfitFileException {
    List<Credentials> users = new ArrayList<>();
    List<String> lines = text(file).lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isEmpty()) {
        users.add(user(lines.get(i), "line " + (i + 1)));
      }
    }
    if (users.isEmpty()) {
      throw new UnfitFileException("no user");
    }
    return users;
  }

  private static Credentials user(String line, String place) throws UnfitFileException {
    int colon = line.indexOf(':');
    if (colon < 0) {
      throw new UnfitFileException(place + " without a colon");
    }
    String user = line.substring(0, colon);
    String password = line.substring(colon + 1);
    if (!Credentials.isUser(user)) {
      throw new UnfitFileException(
          place + " with a user that is not " + LIMIT + " without spaces and control characters");
    }
    if (!Credentials.isPassword(password)) {
      throw new UnfitFileException(
          place + " with a password that is not " + LIMIT + " without control characters");
    }
    return new Credentials(user, password);
  }

  private static String password(byte[] file) throws UnfitFileException {
    List<String> lines = text(file).lines().toList();
    if (lines.size() != 1) {
      throw new UnfitFileException(lines.isEmpty() ? "nothing" : "several lines");
    }
    if (!Credentials.isPassword(lines.get(0))) {
      throw new UnfitFileException("not " + LIMIT + " without control characters");
    }
    return lines.get(0);
  }

  private static String text(byte[] file) throws UnfitFileException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(file)).toString();
    } catch (CharacterCodingException e) {
      throw new UnfitFileException("bytes that are not UTF-8", e);
    }
  }
}
