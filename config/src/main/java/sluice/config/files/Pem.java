package sluice.config.files;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parser of PEM files (RFC 7468): certificates, and private keys that are not encrypted. */
final class Pem {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

  private Pem() {}

  /** All certificates, in the order of the file. */
  static List<X509Certificate> certificates(byte[] file) throws UnfitFileException {
    List<X509Certificate> certificates = new ArrayList<>();
    Matcher block = BLOCK.matcher(text(file));
    while (block.find()) {
      if (isCertificate(block.group(1))) {
        certificates.add(certificate(base64(block)));
      }
    }
    if (certificates.isEmpty()) {
      boolean key = BLOCK.matcher(text(file)).results().anyMatch(b -> isPrivateKey(b.group(1)));
      throw new UnfitFileException(
          key ? "a private key, and no certificate" : "no certificate in PEM");
    }
    return certificates;
  }

  private static X509Certificate certificate(byte[] der) throws UnfitFileException {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(der));
    } catch (CertificateException e) {
      throw new UnfitFileException("a certificate that cannot be read", e);
    }
  }

  /** The first private key: PKCS #8, or OpenSSL's older forms PKCS #1 and SEC 1. */
  static PrivateKey privateKey(byte[] file) throws UnfitFileException {
    Matcher block = BLOCK.matcher(text(file));
    while (block.find()) {
      String label = block.group(1);
      if (isPrivateKey(label)) {
        if (label.startsWith("ENCRYPTED") || block.group(2).contains("ENCRYPTED")) {
          throw new UnfitFileException("a private key that is encrypted");
        }
        return PrivateKeys.read(label, base64(block));
      }
    }
    boolean certificate =
        BLOCK.matcher(text(file)).results().anyMatch(b -> isCertificate(b.group(1)));
    throw new UnfitFileException(
        certificate ? "a certificate, and no private key" : "no private key in PEM");
  }

  private static boolean isCertificate(String label) {
    return label.equals("CERTIFICATE");
  }

  private static boolean isPrivateKey(String label) {
    return label.endsWith("PRIVATE KEY");
  }

  private static String text(byte[] file) {
    return new String(file, StandardCharsets.ISO_8859_1); // text outside the blocks is ignored
  }

  private static byte[] base64(Matcher block) throws UnfitFileException {
    try {
      return Base64.getMimeDecoder().decode(block.group(2).strip());
    } catch (IllegalArgumentException e) {
      throw new UnfitFileException("a damaged " + block.group(1), e);
    }
  }
}
