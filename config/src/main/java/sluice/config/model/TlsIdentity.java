package sluice.config.model;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Certificate and private key that the gateway presents, as they were when the configuration was
 * loaded.
 *
 * @param certificateFile as written
 * @param keyFile as written
 * @param chain the certificate, followed by its intermediate certificates; never empty
 * @param key of the first certificate, RSA or EC
 */
public record TlsIdentity(
    String certificateFile, String keyFile, List<X509Certificate> chain, PrivateKey key) {
  /** Takes a copy of the chain. */
  public TlsIdentity {
    chain = List.copyOf(chain);
  }

  /** File names only: the key's own text would reveal it. */
  @Override
  public String toString() {
    return "TlsIdentity[" + certificateFile + ", " + keyFile + "]";
  }
}
