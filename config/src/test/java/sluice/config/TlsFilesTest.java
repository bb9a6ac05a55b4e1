package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.config.files.PrivateKeys;
import sluice.config.model.ClientAuth;
import sluice.config.model.Configuration;
import sluice.config.model.ListenerTlsConfig;
import sluice.config.model.PoolTlsConfig;
import sluice.config.model.TlsAuthorities;
import sluice.config.model.TlsIdentity;
import sluice.config.problems.Problem;

/** The files that {@code tls} sections name. */
class TlsFilesTest {
  private static final Instant PAST = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant FUTURE = Instant.parse("2120-01-01T00:00:00Z");

  @TempDir static Path directory;
  private static X509Bundle authority;
  private static X509Bundle node;

  @BeforeAll
  static void writeFiles() throws Exception {
    authority =
        new CertificateBuilder().subject("CN=ca").setIsCertificateAuthority(true).buildSelfSigned();
    node = issue(new CertificateBuilder().subject("CN=node"));
    write("ca.crt", authority.getCertificatePEM());
    write("node.crt", node.getCertificatePathPEM());
    write("node.key", node.getPrivateKeyPEM());
    write("other.key", issue(new CertificateBuilder().subject("CN=other")).getPrivateKeyPEM());
    write(
        "rsa.key", issue(new CertificateBuilder().subject("CN=rsa").rsa2048()).getPrivateKeyPEM());
    write(
        "ed.key",
        issue(new CertificateBuilder().subject("CN=e").algorithm(Algorithm.ed25519))
            .getPrivateKeyPEM());
    write(
        "old.crt",
        issue(
                new CertificateBuilder()
                    .subject("CN=old")
                    .keyPair(node.getKeyPair())
                    .notBefore(PAST)
                    .notAfter(PAST.plusSeconds(60)))
            .getCertificatePEM());
    write(
        "new.crt",
        issue(
                new CertificateBuilder()
                    .subject("CN=new")
                    .keyPair(node.getKeyPair())
                    .notBefore(FUTURE)
                    .notAfter(FUTURE.plusSeconds(60)))
            .getCertificatePEM());
    write(
        "unordered.crt",
        node.getCertificatePEM()
            + issue(new CertificateBuilder().subject("CN=x")).getCertificatePEM());
    write("text.txt", "-----BEGIN NOTHING-----\n");
    write("damaged.crt", pem("CERTIFICATE", new byte[] {0x30, 3, 1, 2, 3}));
    write("damaged.key", pem("PRIVATE KEY", new byte[] {0x30, 3, 1, 2, 3}));
    write("nocurve.key", pem("EC PRIVATE KEY", new byte[] {0x30, 6, 2, 1, 1, 4, 1, 7}));
    write("dsa.key", pem("DSA PRIVATE KEY", new byte[] {0x30, 3, 2, 1, 0}));
    write("encrypted.key", pem("ENCRYPTED PRIVATE KEY", new byte[] {0x30, 3, 2, 1, 0}));
    write(
        "legacy.key",
        pem("RSA PRIVATE KEY", new byte[9]).replaceFirst("\n", "\nProc-Type: 4,ENCRYPTED\n\n"));
    write("large.crt", "x".repeat((1 << 20) + 1));
    Files.createDirectory(directory.resolve("folder"));
  }

  private static X509Bundle issue(CertificateBuilder builder) throws Exception {
    return builder.buildIssuedBy(authority);
  }

  private static void write(String file, String content) throws IOException {
    Files.writeString(directory.resolve(file), content);
  }

  private static String pem(String label, byte[] der) {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
  }

  private static LoadResult load(String listener, String pool) throws IOException {
    Path file = directory.resolve("f.yaml");
    Files.writeString(
        file,
        """
        listeners: {a: {bind: 127.0.0.1:0, route: r%s}}
        routes: {r: [{pool: p}]}
        pools: {p: {servers: [h:1]%s}}
        """
            .formatted(listener, pool));
    return Loader.load(file);
  }

  private static List<String> problems(LoadResult result) {
    return result.problems().stream()
        .map(p -> p.toString().replace(directory.resolve("f.yaml").toString(), "f"))
        .toList();
  }

  /** Opening it would block for as long as nobody writes to it. */
  @Test
  @Timeout(60)
  void shouldRefuseWhatIsNoRegularFile() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    LoadResult result = load(", tls: {certificate: pipe, key: /dev/null}", "");
    assertThat(problems(result))
        .hasSize(2)
        .allSatisfy(
            problem ->
                assertThat(problem).contains(": a pipe, a socket or a device, expected a PEM"));
    Files.createSymbolicLink(directory.resolve("linked.crt"), directory.resolve("node.crt"));
    assertThat(problems(load(", tls: {certificate: linked.crt, key: node.key}", ""))).isEmpty();
    Files.writeString(
        directory.resolve("f.yaml"), "include: [pipe]\nadmin: {bind: '${file:pipe}'}\n");
    assertThat(problems(Loader.load(directory.resolve("f.yaml"))))
        .contains(
            "f:1:11: include[0]: found pipe: a pipe, a socket or a device, expected a file that can"
                + " be read",
            "f:2:15: admin.bind: found \"${file:pipe}\": a pipe, a socket or a device, expected a"
                + " file that can be read");
  }

  @Test
  void shouldReadFilesBesideTheConfiguration() throws IOException {
    LoadResult result =
        load(
            ", tls: {certificate: node.crt, key: node.key, clientCa: ca.crt}",
            ", tls: {ca: ca.crt, certificate: node.crt, key: node.key, serverName: cache}");
    assertThat(problems(result)).isEmpty();
    Configuration configuration = result.configuration();
    TlsIdentity identity =
        new TlsIdentity(
            "node.crt", "node.key", List.of(node.getCertificate()), node.getKeyPair().getPrivate());
    Optional<TlsAuthorities> ca =
        Optional.of(new TlsAuthorities("ca.crt", List.of(authority.getCertificate())));
    assertThat(configuration.listeners().get("a").tls())
        .contains(new ListenerTlsConfig(identity, ca, ClientAuth.REQUIRE, false));
    assertThat(configuration.pools().get("p").tls())
        .contains(new PoolTlsConfig(ca, Optional.of(identity), Optional.of("cache")));
    String secret =
        new java.math.BigInteger(1, node.getKeyPair().getPrivate().getEncoded()).toString();
    assertThat(configuration + " " + configuration.listeners().get("a"))
        .contains("node.key")
        .doesNotContain(secret);
  }

  @Test
  void shouldPrintWhatLoadsToTheSame() throws IOException {
    Configuration configuration =
        load(
                ", limits: {handshake: 2s}, tls: {certificate: node.crt, key: node.key, clientCa:"
                    + " ca.crt, clientAuth: request}",
                ", tls: {ca: ca.crt}")
            .configuration();
    for (String printed :
        List.of(
            ConfigurationPrinter.toYaml(configuration),
            ConfigurationPrinter.toJson(configuration))) {
      Path file = directory.resolve("printed.yaml");
      Files.writeString(file, printed);
      assertThat(Loader.load(file).configuration()).isEqualTo(configuration);
    }
  }

  @Test
  void shouldAskForNoCertificatesUnlessToldWhoMaySignThem() throws IOException {
    Configuration configuration =
        load(", tls: {certificate: node.crt, key: node.key}", ", tls: {}").configuration();
    assertThat(configuration.listeners().get("a").tls().orElseThrow().clientAuth())
        .isEqualTo(ClientAuth.NONE);
    assertThat(configuration.pools().get("p").tls())
        .contains(new PoolTlsConfig(Optional.empty(), Optional.empty(), Optional.empty()));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "missing.crt | node.key | certificate: found missing.crt: no such file, expected"
            + " CERTIFICATE",
        "folder | node.key | certificate: found folder: a directory, expected" + " CERTIFICATE",
        "text.txt | node.key | certificate: found text.txt: no certificate in PEM, expected"
            + " CERTIFICATE",
        "node.key | node.key | certificate: found node.key: a private key, and no certificate,"
            + " expected CERTIFICATE",
        "damaged.crt | node.key | certificate: found damaged.crt: a certificate that cannot be"
            + " read, expected CERTIFICATE",
        "large.crt | node.key | certificate: found large.crt: more than 1 MiB, expected"
            + " CERTIFICATE",
        "old.crt | node.key | certificate: found old.crt: the certificate of CN=old, which expired"
            + " on 2020-01-01T00:01:00Z, expected certificates that are valid now",
        "new.crt | node.key | certificate: found new.crt: the certificate of CN=new, which is not"
            + " valid before 2120-01-01T00:00:00Z, expected certificates that are valid now",
        "unordered.crt | node.key | certificate: found unordered.crt: the certificate of CN=x as"
            + " number 2, expected that of CN=ca, which issued the one before, or none",
        "node.crt | missing.key | key: found missing.key: no such file, expected KEY",
        "node.crt | node.crt | key: found node.crt: a certificate, and no private key,"
            + " expected KEY",
        "node.crt | damaged.key | key: found damaged.key: a private key that is neither RSA nor EC,"
            + " or is damaged, expected KEY",
        "node.crt | ed.key | key: found ed.key: a private key that is neither RSA nor EC, or is"
            + " damaged, expected KEY",
        "node.crt | dsa.key | key: found dsa.key: a private key of the kind DSA PRIVATE KEY,"
            + " expected KEY",
        "node.crt | nocurve.key | key: found nocurve.key: an EC PRIVATE KEY that does not name its"
            + " curve, or is damaged, expected KEY",
        "node.crt | encrypted.key | key: found encrypted.key: a private key that is encrypted,"
            + " expected KEY",
        "node.crt | legacy.key | key: found legacy.key: a private key that is encrypted, expected"
            + " KEY",
        "node.crt | other.key | key: found other.key: another key, expected the private key of the"
            + " first certificate in node.crt",
        "node.crt | rsa.key | key: found rsa.key: another key, expected the private key of the"
            + " first certificate in node.crt",
      })
  void shouldSayWhatIsWrongWithAFileWhereItIsNamed(String certificate, String key, String problem)
      throws IOException {
    String expected =
        problem
            .replace(
                "CERTIFICATE", "a PEM file with a certificate and its intermediate certificates")
            .replaceFirst(
                "expected KEY", "expected a PEM file with an RSA or EC private key, not encrypted");
    int at = "listeners: {a: {bind: 127.0.0.1:0, route: r, tls: {certificate: ".length() + 1;
    int column = problem.startsWith("key") ? at + certificate.length() + ", key: ".length() : at;
    LoadResult result = load(", tls: {certificate: " + certificate + ", key: " + key + "}", "");
    assertThat(problems(result)).containsExactly("f:1:" + column + ": listeners.a.tls." + expected);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "text.txt | no certificate in PEM, expected a PEM file with the certificates of"
            + " authorities",
        "old.crt | the certificate of CN=old, which expired on 2020-01-01T00:01:00Z, expected one"
            + " that is valid now"
      })
  void shouldSayWhatIsWrongWithAuthorities(String file, String problem) throws IOException {
    String end = "found " + file + ": " + problem;
    assertThat(problems(load("", ", tls: {ca: " + file + "}")))
        .containsExactly("f:3:39: pools.p.tls.ca: " + end);
    assertThat(
            problems(
                load(", tls: {certificate: node.crt, key: node.key, clientCa: " + file + "}", "")))
        .containsExactly("f:1:100: listeners.a.tls.clientCa: " + end);
  }

  @Test
  void shouldTakeBundlesThatHoldAnOldAuthorityBesideItsSuccessor() throws IOException {
    write(
        "bundle.crt",
        Files.readString(directory.resolve("old.crt")) + authority.getCertificatePEM());
    assertThat(
            load("", ", tls: {ca: bundle.crt}")
                .configuration()
                .pools()
                .get("p")
                .tls()
                .orElseThrow()
                .ca()
                .orElseThrow()
                .certificates())
        .hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(
      value = Algorithm.class,
      names = {"ecp256", "ecp384", "rsa2048", "rsa3072"})
  void shouldReadKeysAsOpenSslWroteThemBefore(Algorithm algorithm) throws Exception {
    X509Bundle bundle = issue(new CertificateBuilder().subject("CN=k").algorithm(algorithm));
    PrivateKey key = bundle.getKeyPair().getPrivate();
    byte[] pkcs8 = key.getEncoded();
    boolean rsa = key.getAlgorithm().equals("RSA");
    for (boolean withPublic : rsa ? new boolean[] {false} : new boolean[] {false, true}) {
      byte[] spki = withPublic ? bundle.getKeyPair().getPublic().getEncoded() : new byte[0];
      shouldRead(bundle, rsa, rsa ? innermost(pkcs8) : sec1(pkcs8, spki));
    }
  }

  private void shouldRead(X509Bundle bundle, boolean rsa, byte[] traditional) throws Exception {
    String before =
        rsa ? "" : "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    write("k.crt", bundle.getCertificatePEM());
    write("k.key", before + pem(rsa ? "RSA PRIVATE KEY" : "EC PRIVATE KEY", traditional));
    LoadResult result = load(", tls: {certificate: k.crt, key: k.key}", "");
    assertThat(problems(result)).isEmpty();
    PrivateKey read =
        result.configuration().listeners().get("a").tls().orElseThrow().identity().key();
    assertThat(PrivateKeys.match(read, bundle.getCertificate())).isTrue();
  }

  /** What is in the OCTET STRING at the end of a PKCS #8 key. */
  private static byte[] innermost(byte[] pkcs8) {
    int at = header(pkcs8, 0);
    at += 3; // version
    at = header(pkcs8, at) + length(pkcs8, at); // algorithm
    int from = header(pkcs8, at);
    return Arrays.copyOfRange(pkcs8, from, from + length(pkcs8, at));
  }

  /**
   * As OpenSSL and Go write it: with the curve that PKCS #8 has elsewhere, and with the public key.
   *
   * @param spki SubjectPublicKeyInfo, which ends with that; empty to leave it out
   */
  private static byte[] sec1(byte[] pkcs8, byte[] spki) {
    byte[] inner = innermost(pkcs8);
    int algorithm = header(pkcs8, header(pkcs8, 0) + 3);
    int curve = header(pkcs8, algorithm) + length(pkcs8, algorithm);
    byte[] oid = Arrays.copyOfRange(pkcs8, curve, header(pkcs8, curve) + length(pkcs8, curve));
    int from = header(inner, 0) + 3; // behind the version
    byte[] secret = Arrays.copyOfRange(inner, from, header(inner, from) + length(inner, from));
    byte[] point = spki;
    if (spki.length > 0) { // SEQUENCE { SEQUENCE { algorithm, curve }, BIT STRING }
      int bits = header(spki, 0);
      bits = header(spki, bits) + length(spki, bits);
      point = Arrays.copyOfRange(spki, bits, spki.length);
    }
    byte[] content =
        join(
            new byte[] {2, 1, 1},
            secret,
            tagged(0xA0, oid),
            spki.length > 0 ? tagged(0xA1, point) : new byte[0]);
    return tagged(0x30, content);
  }

  private static byte[] tagged(int tag, byte[] content) {
    int length = content.length;
    byte[] head =
        length < 0x80
            ? new byte[] {(byte) tag, (byte) length}
            : new byte[] {(byte) tag, (byte) 0x81, (byte) length};
    assertThat(length).isLessThan(0x100);
    return join(head, content);
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static int header(byte[] der, int at) {
    return at + 2 + ((der[at + 1] & 0x80) == 0 ? 0 : der[at + 1] & 0x7F);
  }

  private static int length(byte[] der, int at) {
    int length = 0;
    if ((der[at + 1] & 0x80) == 0) {
      return der[at + 1];
    }
    for (int i = 0; i < (der[at + 1] & 0x7F); i++) {
      length = length << 8 | (der[at + 2 + i] & 0xFF);
    }
    return length;
  }

  @Test
  void shouldTakePlainClientsBesideWhereThatIsAskedFor() throws IOException {
    String yaml =
        """
        admin: {bind: 127.0.0.1:9901}
        listeners: {a: {bind: 127.0.0.1:0, route: r, tls: {certificate: node.crt, key: node.key, clientCa: ca.crt, plain: %s}}}
        routes: {r: [{pool: p}]}
        pools: {p: {servers: [h:1]}}
        """;
    LoadResult taken = Loader.parse(directory, yaml.formatted("true"));
    assertThat(taken.problems()).isEmpty();
    assertThat(taken.configuration().listeners().get("a").tls().orElseThrow().plain()).isTrue();
    assertThat(taken.warnings())
        .singleElement()
        .asString()
        .endsWith(
            "plain: found true, expected false: clients without TLS bypass the check of"
                + " certificates");
    assertThat(
            Loader.parse(directory, ConfigurationPrinter.toYaml(taken.configuration()))
                .configuration())
        .isEqualTo(taken.configuration());
    assertThat(Loader.parse(directory, yaml.formatted("true, clientAuth: request")).warnings())
        .isEmpty();
    LoadResult refused = Loader.parse(directory, yaml.formatted("false"));
    assertThat(refused.configuration().listeners().get("a").tls().orElseThrow().plain()).isFalse();
    assertThat(
            Loader.parse(
                    directory,
                    yaml.formatted("yes")
                        .replace(
                            "9901}",
                            "9901, tls: {certificate: node.crt, key: node.key, plain: false}}"))
                .problems())
        .extracting(Problem::path)
        .containsExactly("admin.tls.plain", "listeners.a.tls.plain");
  }
}
