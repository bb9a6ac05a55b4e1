package sluice.config.model;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Who the gateway shows itself as: a certificate and its private key, as they were when the
 * configuration was loaded.
 *
 * @param certificateFile as written
 * @param keyFile as written
 * @param chain the certificate, and behind it those that lead to its authority; never empty
 * @param key of the first of them, RSA or EC
 */
public record TlsIdentity(
    String certificateFile, String keyFile, List<X509Certificate> chain, PrivateKey key) {
  /** Takes a copy of the chain. */
  public TlsIdentity {
    chain = List.copyOf(chain);
  }

  /** The key's own text would tell it. */
  @Override
  public String toString() {
    return "TlsIdentity[" + certificateFile + ", " + keyFile + "]";
  }
}
