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
      if (block.group(1).equals("CERTIFICATE")) {
        certificates.add(certificate(base64(block)));
      }
    }
    if (certificates.isEmpty()) {
      throw new UnfitFileException("no certificate in PEM");
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
      if (label.endsWith("PRIVATE KEY")) {
        if (label.startsWith("ENCRYPTED") || block.group(2).contains("ENCRYPTED")) {
          throw new UnfitFileException("a private key that is encrypted");
        }
        return PrivateKeys.read(label, base64(block));
      }
    }
    throw new UnfitFileException("no private key in PEM");
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
