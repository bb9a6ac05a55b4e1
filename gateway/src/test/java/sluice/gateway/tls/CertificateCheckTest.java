package sluice.gateway.tls;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import sluice.config.model.TlsAuthorities;

/** Chains with certificates that have expired; OpenSSL decides likewise. */
class CertificateCheckTest {
  private static final Instant LONG_AGO = Instant.parse("2010-01-01T00:00:00Z");
  private static final Instant PAST = Instant.parse("2020-01-01T00:00:00Z");

  private static CertificateBuilder authority(String name) {
    return new CertificateBuilder().subject("CN=" + name).setIsCertificateAuthority(true);
  }

  private static CertificateBuilder expired(CertificateBuilder certificate) {
    return certificate.notBefore(LONG_AGO).notAfter(PAST);
  }

  private static X509Bundle leaf(X509Bundle issuer) throws Exception {
    return new CertificateBuilder().subject("CN=leaf").buildIssuedBy(issuer);
  }

  private static void check(List<X509Bundle> trusted, X509Bundle... chain) throws Exception {
    CertificateCheck.by(
            Optional.of(
                new TlsAuthorities(
                    "ca.crt", trusted.stream().map(X509Bundle::getCertificate).toList())))
        .checkServerTrusted(
            Arrays.stream(chain).map(X509Bundle::getCertificate).toArray(X509Certificate[]::new),
            "UNKNOWN");
  }

  /** Servers send such ones for clients that trust an older authority only. */
  @Test
  void shouldAcceptAnExpiredCertificateThatNoPathNeeds() throws Exception {
    X509Bundle root = authority("root").buildSelfSigned();
    X509Bundle between = authority("between").buildIssuedBy(root);
    X509Bundle old = expired(authority("old")).buildSelfSigned();
    X509Bundle leaf = leaf(between);
    assertThatCode(() -> check(List.of(root), leaf, between, old)).doesNotThrowAnyException();
    assertThatCode(() -> check(List.of(root, old), leaf, between, root, old))
        .doesNotThrowAnyException();
  }

  @Test
  void shouldRefuseAnExpiredCertificateOnThePath() throws Exception {
    X509Bundle root = authority("root").buildSelfSigned();
    X509Bundle between = expired(authority("between")).buildIssuedBy(root);
    assertExpired("between", List.of(root), leaf(between), between);
    assertExpired("between", List.of(root), leaf(between), between, root);
  }

  @Test
  void shouldRefuseAnExpiredAuthorityThatIsSent() throws Exception {
    X509Bundle root = expired(authority("root")).buildSelfSigned();
    X509Bundle between = authority("between").buildIssuedBy(root);
    assertExpired("root", List.of(root), leaf(between), between, root);
    assertExpired("root", List.of(root), root);
  }

  private static void assertExpired(String name, List<X509Bundle> trusted, X509Bundle... chain) {
    assertThatThrownBy(() -> check(trusted, chain))
        .isInstanceOf(CertificateException.class)
        .hasMessage("the certificate of CN=" + name + " expired on " + PAST);
  }
}
