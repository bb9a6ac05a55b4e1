package sluice.config.sections;

import sluice.config.model.PoolAuthConfig;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;

/** Description of a pool's {@code auth}. The file's content becomes part of the record. */
public final class PoolAuthSection {
  public static final Key<String> USER =
      Key.optional("user", Scalars.user(), "User name for the login to servers.");
  public static final Key<String> PASSWORD_FILE =
      Key.optional("passwordFile", Scalars.file(), "File with one line, the password.");

  /** Its keys, and the record's value for each: the file, never its content. */
  public static final Layout<PoolAuthConfig> LAYOUT =
      Layout.of(PoolAuthConfig.class)
          .key(USER, auth -> auth.login().user())
          .key(PASSWORD_FILE, PoolAuthConfig::passwordFile);

  private PoolAuthSection() {}
}
