package sluice.config.sections;

import sluice.config.files.TlsFiles;
import sluice.config.model.PoolTlsConfig;
import sluice.config.model.TlsAuthorities;
import sluice.config.model.TlsIdentity;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;

/** Description of a pool's {@code tls}: its keys, and its record. */
public final class PoolTlsSection {
  public static final Key<String> CA =
      Key.optional(
          "ca",
          Scalars.file(),
          "PEM file: the CAs that may sign the servers' certificates; by default, those that Java"
              + " trusts.");
  public static final Key<String> CERTIFICATE =
      Key.optional(
          "certificate",
          Scalars.file(),
          "PEM file: the certificate that the gateway presents to servers, followed by its"
              + " intermediate certificates.");
  public static final Key<String> KEY =
      Key.optional(
          "key",
          Scalars.file(),
          "PEM file: the RSA or EC private key of the certificate, not encrypted.");
  public static final Key<String> SERVER_NAME =
      Key.optional(
          "serverName",
          Scalars.host(),
          "Name that a server's certificate must have, also sent to the server (SNI); by default,"
              + " the host in its address.");

  /** Its keys, and the record's value for each. */
  public static final Layout<PoolTlsConfig> LAYOUT =
      Layout.of(PoolTlsConfig.class)
          .optional(CA, tls -> tls.ca().map(TlsAuthorities::file))
          .optional(CERTIFICATE, tls -> tls.identity().map(TlsIdentity::certificateFile))
          .optional(KEY, tls -> tls.identity().map(TlsIdentity::keyFile))
          .optional(SERVER_NAME, PoolTlsConfig::serverName);

  private PoolTlsSection() {}

  /** The record of a valid section. */
  static PoolTlsConfig bind(Fields tls, TlsFiles files) {
    return new PoolTlsConfig(
        files.authorities(tls.get(CA)),
        files.identity(tls.get(CERTIFICATE), tls.get(KEY)),
        tls.optional(SERVER_NAME));
  }
}
