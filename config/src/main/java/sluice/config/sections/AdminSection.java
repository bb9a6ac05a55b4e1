package sluice.config.sections;

import sluice.config.files.AuthFiles;
import sluice.config.files.TlsFiles;
import sluice.config.model.Address;
import sluice.config.model.AdminConfig;
import sluice.config.model.Ready;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;

/** Description of {@code admin}: its keys, and its record. */
public final class AdminSection {
  public static final Key<Address> BIND =
      Key.optional("bind", Scalars.adminAddress(), "Address that the admin port listens on.")
          .or("127.0.0.1:9901");
  public static final Key<Ready> READY =
      Key.optional(
              "ready",
              Scalars.choice(Ready.class),
              "What `GET /ready` checks: only the process, or also that every route has a usable"
                  + " server.")
          .or("process");
  public static final Key<Fields> TLS =
      Key.optional("tls", ListenerTlsSection.OF_ADMIN.type(), "TLS for clients; off by default.");
  public static final Key<Fields> AUTH =
      Key.optional(
          "auth",
          ListenerAuthSection.LAYOUT.type(),
          "Users who may change the process's state from other machines, by HTTP Basic"
              + " authentication; none by default.");

  /** Its keys, and the record's value for each. */
  public static final Layout<AdminConfig> LAYOUT =
      Layout.of(AdminConfig.class)
          .key(BIND, AdminConfig::bind)
          .key(READY, AdminConfig::ready)
          .section(TLS, ListenerTlsSection.OF_ADMIN, AdminConfig::tls)
          .section(AUTH, ListenerAuthSection.LAYOUT, AdminConfig::auth);

  private AdminSection() {}

  /** The record of a valid section. */
  public static AdminConfig bind(Fields admin, TlsFiles tlsFiles, AuthFiles authFiles) {
    return new AdminConfig(
        admin.value(BIND),
        admin.value(READY),
        admin.written(TLS).map(tls -> ListenerTlsSection.bind(tls, tlsFiles)),
        authFiles.listener(admin.section(AUTH).get(ListenerAuthSection.USERS)));
  }
}
