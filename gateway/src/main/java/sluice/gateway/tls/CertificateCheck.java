package sluice.gateway.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import sluice.config.model.TlsAuthorities;

/** Java's own verification of certificates, with a message that states the certificate's fault. */
final class CertificateCheck extends X509ExtendedTrustManager {
  private static final int DNS_NAME = 2; // tag of a GeneralName, RFC 5280, 4.2.1.6
  private static final int IP_ADDRESS = 7;

  private final X509ExtendedTrustManager verification;
  private final String authorities; // as a log line ends: "in FILE", or "that Java trusts"

  private interface Verification {
    void run() throws CertificateException;
  }

  private CertificateCheck(X509ExtendedTrustManager verification, String authorities) {
    this.verification = verification;
    this.authorities = authorities;
  }

  /**
   * A check against these authorities.
   *
   * @param trusted empty for those of the Java runtime
   */
  static CertificateCheck by(Optional<TlsAuthorities> trusted) throws GeneralSecurityException {
    KeyStore store = trusted.isPresent() ? store(trusted.get().certificates()) : null;
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    X509ExtendedTrustManager manager =
        Arrays.stream(factory.getTrustManagers())
            .filter(X509ExtendedTrustManager.class::isInstance)
            .map(X509ExtendedTrustManager.class::cast)
            .findFirst()
            .orElseThrow(() -> new GeneralSecurityException("Java cannot verify certificates"));
    return new CertificateCheck(
        manager, trusted.map(TlsAuthorities::file).map("in "::concat).orElse("that Java trusts"));
  }

  private static KeyStore store(List<X509Certificate> authorities) throws GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    try {
      store.load(null);
    } catch (IOException e) {
      throw new GeneralSecurityException(e); // cannot happen: nothing is read
    }
    for (int i = 0; i < authorities.size(); i++) {
      store.setCertificateEntry(Integer.toString(i), authorities.get(i));
    }
    return store;
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return verification.getAcceptedIssuers();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    verify(chain, null, () -> verification.checkClientTrusted(chain, authType, engine));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    verify(
        chain,
        engine.getPeerHost(),
        () -> verification.checkServerTrusted(chain, authType, engine));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    verify(chain, null, () -> verification.checkClientTrusted(chain, authType, socket));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    verify(chain, null, () -> verification.checkServerTrusted(chain, authType, socket));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    verify(chain, null, () -> verification.checkClientTrusted(chain, authType));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    verify(chain, null, () -> verification.checkServerTrusted(chain, authType));
  }

  /**
   * Verifies a chain. Java does not check the dates of certificates that are themselves among the
   * authorities; this does. A certificate that the path to an authority does not need may have
   * expired: servers may send one for older clients. OpenSSL accepts that, too.
   *
   * @param meant the host that it should name, or null
   */
  private void verify(X509Certificate[] chain, @Nullable String meant, Verification check)
      throws CertificateException {
    checkDates(chain[0]);
    try {
      check.run();
    } catch (CertificateException e) {
      if (!isOfAnotherName(e)) {
        for (X509Certificate certificate : chain) {
          checkDates(certificate);
        }
      }
      throw new CertificateException(explain(chain[0], meant, e), e);
    }
    X509Certificate sent = sentAuthority(chain);
    if (sent != null) {
      checkDates(sent);
    }
  }

  /** The authority in which the path ends, if the peer sent it, and no newer one is trusted. */
  private @Nullable X509Certificate sentAuthority(X509Certificate[] chain) {
    for (int i = 1; i < chain.length; i++) {
      X509Certificate issuer = chain[i];
      if (!issuer.getSubjectX500Principal().equals(chain[i - 1].getIssuerX500Principal())) {
        return null; // what follows is not needed
      }
      List<X509Certificate> same =
          Arrays.stream(getAcceptedIssuers())
              .filter(
                  each -> each.getSubjectX500Principal().equals(issuer.getSubjectX500Principal()))
              .filter(each -> each.getPublicKey().equals(issuer.getPublicKey()))
              .toList();
      if (!same.isEmpty()) {
        return same.contains(issuer) && same.size() == 1 ? issuer : null;
      }
    }
    return null;
  }

  private static void checkDates(X509Certificate certificate) throws CertificateException {
    String name = "the certificate of " + subject(certificate);
    try {
      certificate.checkValidity();
    } catch (CertificateExpiredException e) {
      String when = certificate.getNotAfter().toInstant().toString();
      throw new CertificateException(name + " expired on " + when, e);
    } catch (CertificateNotYetValidException e) {
      String when = certificate.getNotBefore().toInstant().toString();
      throw new CertificateException(name + " is not valid before " + when, e);
    }
  }

  private String explain(
      X509Certificate certificate, @Nullable String meant, CertificateException failure) {
    String name = "the certificate of " + subject(certificate);
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathBuilderException) {
        String issuer = certificate.getIssuerX500Principal().getName();
        return name + ", issued by " + issuer + ", is not from an authority " + authorities;
      }
    }
    return isOfAnotherName(failure)
        ? name + " has another name: it is for " + names(certificate) + ", not for " + meant
        : name + ": " + failure.getMessage();
  }

  private static boolean isOfAnotherName(CertificateException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.startsWith("No name matching") || message.startsWith("No subject alternative");
  }

  private static String subject(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }

  private static String names(X509Certificate certificate) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      return names == null
          ? "its subject alone"
          : names.stream()
              .filter(n -> n.get(0).equals(DNS_NAME) || n.get(0).equals(IP_ADDRESS))
              .map(n -> n.get(1).toString())
              .collect(Collectors.joining(", "));
    } catch (CertificateParsingException e) {
      return "names that cannot be read";
    }
  }
}
