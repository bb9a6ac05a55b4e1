package sluice.config.model;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Trusted certificate authorities.
 *
 * @param file as written
 * @param certificates of the authorities, as they were when the configuration was loaded; never
 *     empty
 */
public record TlsAuthorities(String file, List<X509Certificate> certificates) {
  /** Takes a copy of the certificates. */
  public TlsAuthorities {
    certificates = List.copyOf(certificates);
  }
}
