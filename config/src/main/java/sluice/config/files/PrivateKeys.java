package sluice.config.files;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.HexFormat;
import java.util.List;

/**
 * Parser of private keys in DER. The JDK reads PKCS #8 only:
 *
 * <pre>
 *   PrivateKeyInfo  = SEQUENCE { INTEGER 0, SEQUENCE { algorithm, parameters }, OCTET STRING key }  RFC 5208
 *   ECPrivateKey    = SEQUENCE { INTEGER 1, OCTET STRING, [0] curve, [1] BIT STRING }               RFC 5915
 * </pre>
 *
 * so PKCS #1 and SEC 1 keys are wrapped into a PKCS #8 structure, as its key field.
 */
public final class PrivateKeys {
  private static final List<String> ALGORITHMS =
      List.of("RSA", "EC"); // algorithms that the JDK's TLS signs with
  private static final int INTEGER = 0x02;
  private static final int OCTET_STRING = 0x04;
  private static final int SEQUENCE = 0x30;
  private static final int CURVE = 0xA0;
  private static final byte[] VERSION_0 = {INTEGER, 1, 0};
  private static final byte[] RSA = HexFormat.of().parseHex("06092a864886f70d0101010500");
  private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");

  private PrivateKeys() {}

  /** The key in a PEM block with this label. */
  static PrivateKey read(String label, byte[] der) throws UnfitFileException {
    byte[] pkcs8 =
        switch (label) {
          case "PRIVATE KEY" -> der;
          case "RSA PRIVATE KEY" -> pkcs8(RSA, der);
          case "EC PRIVATE KEY" -> pkcs8(join(EC, curve(der)), der);
          default -> throw new UnfitFileException("a private key of the kind " + label);
        };
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (GeneralSecurityException e) {
        // the key is of another algorithm, or invalid
      }
    }
    throw new UnfitFileException("a private key that is neither RSA nor EC, or is damaged");
  }

  /** Whether the certificate belongs to the key. */
  public static boolean match(PrivateKey key, X509Certificate certificate) {
    String algorithm = key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA";
    byte[] anything = {1, 2, 3};
    try {
      Signature signing = Signature.getInstance(algorithm);
      signing.initSign(key);
      signing.update(anything);
      Signature verifying = Signature.getInstance(algorithm);
      verifying.initVerify(certificate.getPublicKey());
      verifying.update(anything);
      return verifying.verify(signing.sign());
    } catch (GeneralSecurityException e) {
      return false; // the certificate has another algorithm, curve or key length
    }
  }

  private static byte[] pkcs8(byte[] algorithm, byte[] key) {
    return der(SEQUENCE, join(VERSION_0, der(SEQUENCE, algorithm), der(OCTET_STRING, key)));
  }

  /** The object identifier of the curve that a SEC 1 key is on. */
  private static byte[] curve(byte[] key) throws UnfitFileException {
    ByteBuffer in = ByteBuffer.wrap(key);
    try {
      enter(in, SEQUENCE);
      skip(in, INTEGER);
      skip(in, OCTET_STRING);
      byte[] curve = new byte[enter(in, CURVE)];
      in.get(curve);
      return curve;
    } catch (RuntimeException e) { // from ByteBuffer, or from a mismatch in enter
      throw new UnfitFileException(
          "an EC PRIVATE KEY that does not name its curve, or is damaged", e);
    }
  }

  private static void skip(ByteBuffer in, int tag) {
    int length = enter(in, tag);
    in.position(in.position() + length);
  }

  /** Reads a tag and a length; returns the length. */
  private static int enter(ByteBuffer in, int tag) {
    if ((in.get() & 0xFF) != tag) {
      throw new IllegalArgumentException("no " + tag);
    }
    int length = in.get() & 0xFF;
    if (length < 0x80) {
      return length;
    }
    int value = 0;
    for (int i = 0; i < (length & 0x7F); i++) {
      value = value << 8 | (in.get() & 0xFF);
    }
    return value;
  }

  private static byte[] der(int tag, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (content.length < 0x80) {
      out.write(content.length);
    } else if (content.length < 0x100) {
      out.write(0x81); // the shortest form is the only valid one
      out.write(content.length);
    } else {
      out.write(0x82); // two bytes suffice for the length of any key
      out.write(content.length >> 8);
      out.write(content.length);
    }
    out.writeBytes(content);
    return out.toByteArray();
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
