package sluice.perf.simulation.cryptography;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SignatureSpi;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Signature with RSA keys that is as long as one of RSA, but without its arithmetic: a digest of
 * the key's modulus and of what is signed. It depends on both, so that a key and a certificate that
 * do not belong together are found as usual.
 */
public final class CheapSignature extends SignatureSpi {
  private final MessageDigest digest;
  private int length; // in bytes
  private byte[] modulus = {};

  /** A signature of a key that is not known yet. */
  public CheapSignature() throws NoSuchAlgorithmException {
    digest = MessageDigest.getInstance("SHA-256");
  }

  @Override
  protected void engineInitVerify(PublicKey key) throws InvalidKeyException {
    init(key);
  }

  @Override
  protected void engineInitSign(PrivateKey key) throws InvalidKeyException {
    init(key);
  }

  private void init(Key key) throws InvalidKeyException {
    if (!(key instanceof RSAKey rsa)) {
      throw new InvalidKeyException("found " + key + ", expected an RSA key");
    }
    BigInteger number = rsa.getModulus();
    modulus = number.toByteArray();
    length = (number.bitLength() + 7) / 8;
    begin();
  }

  private void begin() {
    digest.reset();
    digest.update(modulus);
  }

  @Override
  protected void engineUpdate(byte b) {
    digest.update(b);
  }

  @Override
  protected void engineUpdate(byte[] bytes, int from, int count) {
    digest.update(bytes, from, count);
  }

  @Override
  protected byte[] engineSign() {
    byte[] once = digest.digest();
    byte[] signature = new byte[length];
    for (int at = 0; at < length; at += once.length) {
      System.arraycopy(once, 0, signature, at, Math.min(once.length, length - at));
    }
    begin();
    return signature;
  }

  @Override
  protected boolean engineVerify(byte[] signature) {
    return MessageDigest.isEqual(signature, engineSign());
  }

  /** Digest and salt of RSASSA-PSS make no difference here. */
  @Override
  protected void engineSetParameter(AlgorithmParameterSpec parameters) {}

  @Override
  protected @Nullable AlgorithmParameters engineGetParameters() {
    return null; // none are needed to verify it
  }

  @Override
  @Deprecated
  protected void engineSetParameter(String name, Object value) {
    throw new UnsupportedOperationException("found parameter " + name + ", expected none");
  }

  @Override
  @Deprecated
  protected Object engineGetParameter(String name) {
    throw new UnsupportedOperationException("found parameter " + name + ", expected none");
  }
}
