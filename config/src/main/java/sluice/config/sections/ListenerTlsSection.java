package sluice.config.sections;

import java.util.Optional;
import sluice.config.files.TlsFiles;
import sluice.config.model.ClientAuth;
import sluice.config.model.ListenerTlsConfig;
import sluice.config.model.TlsAuthorities;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;

/** Description of a listener's {@code tls}: its keys, and their record. */
public final class ListenerTlsSection {
  public static final Key<String> CERTIFICATE =
      Key.optional(
          "certificate",
          Scalars.file(),
          "PEM file: the certificate that clients see, followed by its intermediate certificates.");
  public static final Key<String> KEY =
      Key.optional(
          "key",
          Scalars.file(),
          "PEM file: the RSA or EC private key of the certificate, not encrypted.");
  public static final Key<String> CLIENT_CA =
      Key.optional(
          "clientCa", Scalars.file(), "PEM file: the CAs that may sign client certificates.");
  public static final Key<ClientAuth> CLIENT_AUTH =
      Key.optional(
              "clientAuth",
              Scalars.choice(ClientAuth.class),
              "Whether clients must present a certificate. A presented certificate must be valid.")
          .orElse("`require` with `clientCa`, else `none`");
  public static final Key<Boolean> PLAIN =
      Key.optional(
          "plain",
          Quantities.bool(),
          "Whether clients may also connect without TLS; their first byte shows which they use. Off"
              + " by default.");

  /** The admin port's keys, and the record's value for each. */
  static final Layout<ListenerTlsConfig> OF_ADMIN = withoutPlain();

  /** Its keys, and the record's value for each. */
  public static final Layout<ListenerTlsConfig> LAYOUT =
      withoutPlain().optional(PLAIN, tls -> Optional.of(tls.plain()).filter(plain -> plain));

  private static Layout<ListenerTlsConfig> withoutPlain() {
    return Layout.of(ListenerTlsConfig.class)
        .key(CERTIFICATE, tls -> tls.identity().certificateFile())
        .key(KEY, tls -> tls.identity().keyFile())
        .optional(CLIENT_CA, tls -> tls.clientCa().map(TlsAuthorities::file))
        .key(CLIENT_AUTH, ListenerTlsConfig::clientAuth);
  }

  private ListenerTlsSection() {}

  /** The record of a valid section. */
  static ListenerTlsConfig bind(Fields tls, TlsFiles files) {
    Optional<TlsAuthorities> clientCa = files.authorities(tls.get(CLIENT_CA));
    ClientAuth unwritten = clientCa.isPresent() ? ClientAuth.REQUIRE : ClientAuth.NONE;
    return new ListenerTlsConfig(
        files.identity(tls.get(CERTIFICATE), tls.get(KEY)).orElseThrow(),
        clientCa,
        tls.optional(CLIENT_AUTH).orElse(unwritten),
        tls.keys().contains(PLAIN) && tls.optional(PLAIN).orElse(false));
  }
}
