package sluice.perf.simulation;

import java.security.Security;
import java.util.Map;
import sluice.perf.simulation.cryptography.CheapCryptography;

/**
 * What both ends of a TLS connection offer, the same in each version of Java. The lengths of their
 * records are part of a simulation's hash, and Java's own lists change from version to version. No
 * session is resumed.
 *
 * <p>The names are properties of Java's TLS (JSSE Reference Guide).
 */
final class TlsParameters {
  private static final Map<String, String> PROPERTIES =
      Map.of(
          "jdk.tls.namedGroups", "x25519",
          "jdk.tls.client.SignatureSchemes", "rsa_pss_rsae_sha256,rsa_pkcs1_sha256",
          // What a server requests of a client's certificate: versions differ in whether they name
          // schemes there that TLS 1.3 has for certificates alone.
          "jdk.tls.server.SignatureSchemes", "rsa_pss_rsae_sha256",
          // Versions differ in the length of a session's ticket, and in how many a client keeps.
          "jdk.tls.server.disableExtensions", "psk_key_exchange_modes,pre_shared_key",
          "jdk.tls.client.enableSessionTicketExtension", "false",
          "jdk.tls.server.enableSessionTicketExtension", "false",
          // Java encrypts a key on its way from a file to its TLS. With its own 10,000 iterations,
          // that was a third of a simulation's time where C2 does not compile.
          "keystore.pkcs12.keyPbeIterationCount", "1");

  /** As on Java 17. Later versions offer fewer cipher suites. */
  private static final String DISABLED =
      "SSLv3, TLSv1, TLSv1.1, DTLSv1.0, RC4, DES, MD5withRSA, DH keySize < 1024,"
          + " EC keySize < 224, 3DES_EDE_CBC, anon, NULL, ECDH";

  private TlsParameters() {}

  /** Sets them for this process, which must not have used TLS before. */
  static void set() {
    PROPERTIES.forEach(System::setProperty);
    Security.setProperty("jdk.tls.disabledAlgorithms", DISABLED);
    CheapCryptography.install();
  }
}
