package sluice.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.cert.CertificateException;
import org.junit.jupiter.api.Test;

class TlsReasonTest {
  /** The subject of a certificate is chosen by the other side, and the reason is logged. */
  @Test
  void shouldPutNothingIntoALogThatIsNoText() {
    String subject = "CN=a\nINFO b\r\u001b[2J\u202e\u2028\u0085, O=\u00e9\u4e2d";
    assertThat(TlsReason.of(new CertificateException("the certificate of " + subject)))
        .isEqualTo("the certificate of CN=a?INFO b??[2J???, O=\u00e9\u4e2d");
    assertThat(TlsReason.of(new CertificateException("x".repeat(100_000)))).hasSize(1_000);
  }
}
