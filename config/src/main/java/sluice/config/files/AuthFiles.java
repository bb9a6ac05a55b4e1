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

/**
 * Reader of the files that {@code auth} sections name. Each is read once, and its problems are
 * reported at the setting that names it. A problem never shows the file's content.
 */
public final class AuthFiles {
  private static final String LIMIT = "1 to " + Credentials.MAX_BYTES + " bytes";

  private final FilesBeside files;
  private final Map<String, Optional<?>> known = new HashMap<>();

  /**
   * @param files reads the files
   */
  public AuthFiles(FilesBeside files) {
    this.files = files;
  }

  /** The users of a listener; empty if no file is named or it is invalid. */
  public Optional<ListenerAuthConfig> listener(Checked<String> users) {
    return once(users, "a file of lines user:password", AuthFiles::users)
        .map(all -> new ListenerAuthConfig(FilesBeside.name(users), all));
  }

  /** The login of a pool; empty if it is absent or invalid. */
  public Optional<PoolAuthConfig> pool(Checked<String> user, Checked<String> passwordFile) {
    return login(user, passwordFile)
        .map(login -> new PoolAuthConfig(FilesBeside.name(passwordFile), login));
  }

  /** A user with the password from a file; empty if one of them is absent or invalid. */
  public Optional<Credentials> login(Checked<String> user, Checked<String> passwordFile) {
    Optional<String> password =
        once(passwordFile, "a file of one line, the password, of " + LIMIT, AuthFiles::password);
    return user.value().flatMap(name -> password.map(p -> new Credentials(name, p)));
  }

  @SuppressWarnings("unchecked") // a path belongs to one section, and so to one kind of file
  private <T> Optional<T> once(
      Checked<String> file, String expected, FilesBeside.Reader<T> reader) {
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
