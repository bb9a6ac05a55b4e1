package sluice.perf.simulation.cryptography;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGeneratorSpi;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;

/**
 * Generator of RSA keys for {@link CheapSignature}, which uses nothing but the modulus: each of
 * their numbers is a random one of the usual length.
 */
public final class CheapRsaKeys extends KeyPairGeneratorSpi {
  private int bits = 2048;
  private SecureRandom random = new SecureRandom();

  @Override
  public void initialize(int keysize, SecureRandom from) {
    bits = keysize;
    random = from;
  }

  @Override
  public void initialize(AlgorithmParameterSpec of, SecureRandom from) {
    initialize(((RSAKeyGenParameterSpec) of).getKeysize(), from);
  }

  @Override
  public KeyPair generateKeyPair() {
    BigInteger modulus = number(bits);
    BigInteger exponent = RSAKeyGenParameterSpec.F4;
    int half = bits / 2;
    try {
      KeyFactory keys = KeyFactory.getInstance("RSA");
      return new KeyPair(
          keys.generatePublic(new RSAPublicKeySpec(modulus, exponent)),
          keys.generatePrivate(
              new RSAPrivateCrtKeySpec(
                  modulus,
                  exponent,
                  number(bits),
                  number(half),
                  number(half),
                  number(half),
                  number(half),
                  number(half))));
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  /** An odd number of so many bits. */
  private BigInteger number(int length) {
    return new BigInteger(length, random).setBit(length - 1).setBit(0);
  }
}
