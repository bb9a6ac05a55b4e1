package sluice.config.sections;

import sluice.config.model.ListenerAuthConfig;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;

/** Description of a listener's {@code auth}. The file's content becomes the record. */
public final class ListenerAuthSection {
  public static final Key<String> USERS =
      Key.optional(
          "users",
          Scalars.file(),
          "File with a line `user:password` for each user who may log in.");

  /** Its keys, and the record's value for each: the file, never its content. */
  public static final Layout<ListenerAuthConfig> LAYOUT =
      Layout.of(ListenerAuthConfig.class).key(USERS, ListenerAuthConfig::usersFile);

  private ListenerAuthSection() {}
}
