package sluice.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import org.junit.jupiter.api.Test;

class CertifiedNamesTest {
  private static CertificateBuilder of(String subject) {
    return new CertificateBuilder().subject(subject).setIsCertificateAuthority(true);
  }

  private static java.util.Set<String> names(CertificateBuilder builder) throws Exception {
    return CertifiedNames.of(builder.buildSelfSigned().getCertificate());
  }

  @Test
  void shouldTakeDnsNamesAndUris() throws Exception {
    assertThat(
            names(
                of("CN=chosen freely")
                    .addSanDnsName("App.Example")
                    .addSanDnsName("shop.example")
                    .addSanUriName("spiffe://Example/ns/a/sa/b")
                    .addSanIpAddress("10.0.0.1")
                    .addSanRfc822Name("a@example")))
        .containsExactlyInAnyOrder("app.example", "shop.example", "spiffe://Example/ns/a/sa/b");
  }

  @Test
  void shouldTakeTheCommonNameWhereThereIsNeither() throws Exception {
    assertThat(names(of("CN=app"))).containsExactly("app");
    assertThat(names(of("CN=App One\\, Two,OU=x,O=y"))).containsExactly("App One, Two");
    assertThat(names(of("CN=inner,OU=x,CN=outer"))).containsExactly("inner");
    assertThat(names(of("CN=app").addSanIpAddress("10.0.0.1"))).containsExactly("app");
    assertThat(names(of("O=nameless"))).isEmpty();
  }
}
