package sluice.perf.simulation.cryptography;

import java.math.BigInteger;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactorySpi;
import java.security.KeyPair;
import java.security.KeyPairGeneratorSpi;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.XECPrivateKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.KeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Optional;
import javax.crypto.KeyAgreementSpi;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * Key agreement with keys as long as those of X25519 (JEP 324), but without its arithmetic. A
 * public key is its private key, and the shared secret of two ends is the exclusive or of their
 * keys.
 */
final class CheapKeyAgreement {
  static final String ALGORITHM = "XDH";
  private static final int LENGTH = 32;

  private CheapKeyAgreement() {}

  /** Key of both kinds. */
  private record Both(BigInteger number) implements XECPrivateKey, XECPublicKey {
    @Override
    public AlgorithmParameterSpec getParams() {
      return NamedParameterSpec.X25519;
    }

    @Override
    public Optional<byte[]> getScalar() {
      return Optional.of(bytes(number));
    }

    @Override
    public BigInteger getU() {
      return number;
    }

    @Override
    public String getAlgorithm() {
      return ALGORITHM;
    }

    @Override
    public String getFormat() {
      return "RAW";
    }

    @Override
    public byte[] getEncoded() {
      return bytes(number);
    }
  }

  private static byte[] bytes(BigInteger number) {
    byte[] bytes = new byte[LENGTH];
    byte[] shortest = number.toByteArray(); // of less than 256 bits, so never longer
    System.arraycopy(shortest, 0, bytes, LENGTH - shortest.length, shortest.length);
    return bytes;
  }

  /** Service that Java makes by its name. */
  public static final class Pairs extends KeyPairGeneratorSpi {
    private SecureRandom random = new SecureRandom();

    @Override
    public void initialize(int keysize, SecureRandom from) {
      random = from;
    }

    @Override
    public void initialize(AlgorithmParameterSpec of, SecureRandom from) {
      random = from;
    }

    @Override
    public KeyPair generateKeyPair() {
      Both key = new Both(new BigInteger(8 * LENGTH - 1, random));
      return new KeyPair(key, key);
    }
  }

  /** The same for the other end's public key. */
  public static final class Keys extends KeyFactorySpi {
    @Override
    protected PublicKey engineGeneratePublic(KeySpec of) throws InvalidKeySpecException {
      if (of instanceof XECPublicKeySpec received) {
        return new Both(received.getU().mod(BigInteger.ONE.shiftLeft(8 * LENGTH - 1)));
      }
      throw new InvalidKeySpecException("found " + of + ", expected an XECPublicKeySpec");
    }

    @Override
    protected PrivateKey engineGeneratePrivate(KeySpec of) throws InvalidKeySpecException {
      throw new InvalidKeySpecException("found a private key that was not generated here");
    }

    @Override
    protected <T extends KeySpec> T engineGetKeySpec(Key key, Class<T> kind)
        throws InvalidKeySpecException {
      if (key instanceof Both known && kind == XECPublicKeySpec.class) {
        return kind.cast(new XECPublicKeySpec(known.getParams(), known.getU()));
      }
      throw new InvalidKeySpecException("found " + key + ", expected a public key of this factory");
    }

    @Override
    protected Key engineTranslateKey(Key key) throws InvalidKeyException {
      if (key instanceof Both) {
        return key;
      }
      throw new InvalidKeyException("found " + key + ", expected a key of this factory");
    }
  }

  /** The same for the secret of both ends. */
  public static final class Agreement extends KeyAgreementSpi {
    private BigInteger secret = BigInteger.ZERO;

    @Override
    protected void engineInit(Key own, SecureRandom random) throws InvalidKeyException {
      if (!(own instanceof Both key)) {
        throw new InvalidKeyException("found " + own + ", expected a private key made here");
      }
      secret = key.number();
    }

    @Override
    protected void engineInit(Key own, AlgorithmParameterSpec parameters, SecureRandom random)
        throws InvalidKeyException {
      engineInit(own, random);
    }

    @Override
    protected Key engineDoPhase(Key other, boolean last) throws InvalidKeyException {
      if (!(other instanceof Both key)) {
        throw new InvalidKeyException("found " + other + ", expected a public key made here");
      }
      secret = secret.xor(key.number());
      return key;
    }

    @Override
    protected byte[] engineGenerateSecret() {
      return bytes(secret);
    }

    @Override
    protected int engineGenerateSecret(byte[] into, int at) {
      System.arraycopy(bytes(secret), 0, into, at, LENGTH);
      return LENGTH;
    }

    @Override
    protected SecretKey engineGenerateSecret(String algorithm) {
      return new SecretKeySpec(bytes(secret), algorithm);
    }
  }
}
