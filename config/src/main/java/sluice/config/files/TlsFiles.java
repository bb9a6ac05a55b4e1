package sluice.config.files;

import java.security.PrivateKey;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import sluice.config.model.TlsAuthorities;
import sluice.config.model.TlsIdentity;
import sluice.config.schema.Checked;

/**
 * Reader of the files that {@code tls} sections name. Each is read once, and its problems are
 * reported at the setting that names it.
 */
public final class TlsFiles {
  private final FilesBeside files;
  private final Map<String, Optional<TlsIdentity>> identities = new HashMap<>();
  private final Map<String, Optional<TlsAuthorities>> authorities = new HashMap<>();

  /**
   * @param files reads the files
   */
  public TlsFiles(FilesBeside files) {
    this.files = files;
  }

  /** A certificate and its key; empty if they are not named or invalid. */
  public Optional<TlsIdentity> identity(Checked<String> certificate, Checked<String> key) {
    Optional<TlsIdentity> known = identities.get(certificate.path());
    if (known == null) {
      known = readIdentity(certificate, key);
      identities.put(certificate.path(), known);
    }
    return known;
  }

  private Optional<TlsIdentity> readIdentity(Checked<String> certificate, Checked<String> key) {
    String chainIsExpected = "a PEM file with a certificate and its intermediate certificates";
    Optional<List<X509Certificate>> chain =
        files.read(certificate, chainIsExpected, Pem::certificates);
    Optional<PrivateKey> privateKey =
        files.read(key, "a PEM file with an RSA or EC private key, not encrypted", Pem::privateKey);
    if (chain.isEmpty()) {
      return Optional.empty();
    }
    boolean valid =
        chain.get().stream().allMatch(c -> isValid(c, certificate))
            && isInOrder(chain.get(), certificate);
    if (privateKey.isPresent() && !PrivateKeys.match(privateKey.get(), chain.get().get(0))) {
      refuse(
          key, "another key", "the private key of the first certificate in " + certificate.shown());
      return Optional.empty();
    }
    return privateKey
        .filter(k -> valid)
        .map(k -> new TlsIdentity(name(certificate), name(key), chain.get(), k));
  }

  /**
   * Whether each certificate belongs to the issuer of the one before: Java accepts no other chain.
   */
  private boolean isInOrder(List<X509Certificate> chain, Checked<String> file) {
    for (int i = 1; i < chain.size(); i++) {
      X500Principal issuer = chain.get(i - 1).getIssuerX500Principal();
      X500Principal found = chain.get(i).getSubjectX500Principal();
      if (!issuer.equals(found) || chain.subList(0, i).contains(chain.get(i))) {
        refuse(
            file,
            "the certificate of " + found.getName() + " as number " + (i + 1),
            "that of " + issuer.getName() + ", which issued the one before, or none");
        return false;
      }
    }
    return true;
  }

  /** The certificates of authorities; empty if no file is named or it is invalid. */
  public Optional<TlsAuthorities> authorities(Checked<String> file) {
    Optional<TlsAuthorities> known = authorities.get(file.path());
    if (known == null) {
      known =
          files
              .read(file, "a PEM file with the certificates of authorities", Pem::certificates)
              .filter(all -> isAnyValid(all, file))
              .map(all -> new TlsAuthorities(name(file), all));
      authorities.put(file.path(), known);
    }
    return known;
  }

  private static String name(Checked<String> file) {
    return FilesBeside.name(file);
  }

  private void refuse(Checked<String> file, String found, String expected) {
    files.refuse(file, found, expected);
  }

  private boolean isValid(X509Certificate certificate, Checked<String> file) {
    Optional<String> wrong = invalidity(certificate);
    wrong.ifPresent(found -> refuse(file, found, "certificates that are valid now"));
    return wrong.isEmpty();
  }

  /** A bundle may contain expired certificates as well as their successors. */
  private boolean isAnyValid(List<X509Certificate> certificates, Checked<String> file) {
    if (certificates.stream().anyMatch(c -> invalidity(c).isEmpty())) {
      return true;
    }
    refuse(file, invalidity(certificates.get(0)).orElseThrow(), "one that is valid now");
    return false;
  }

  private static Optional<String> invalidity(X509Certificate certificate) {
    String name = "the certificate of " + certificate.getSubjectX500Principal().getName();
    try {
      certificate.checkValidity();
      return Optional.empty();
    } catch (CertificateExpiredException e) {
      return Optional.of(name + ", which expired on " + certificate.getNotAfter().toInstant());
    } catch (CertificateNotYetValidException e) {
      return Optional.of(
          name + ", which is not valid before " + certificate.getNotBefore().toInstant());
    }
  }
}
