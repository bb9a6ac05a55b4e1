package sluice.perf.simulation.cryptography;

import java.security.Provider;
import java.security.Security;

/**
 * Cryptography for simulations, without expensive arithmetic. Messages of TLS have their usual
 * lengths. A changed one, or one out of order, is found as usual.
 *
 * <p>It keeps nothing secret. Both ends of a simulated connection are in one process, and no
 * simulation judges ciphers. Java's own took a fifth of a simulation's time, and most of it where
 * C2 compiles nothing: only C2 has instructions of the processor for AES, and for large numbers.
 *
 * <p>The names are those of Java Security Standard Algorithm Names, by which Java's TLS looks the
 * services up.
 */
public final class CheapCryptography {
  private static final class Services extends Provider {
    private static final long serialVersionUID = 1L;

    Services() {
      super("CheapCryptography", "1", "TLS without expensive arithmetic, for simulations");
      String agreement = CheapKeyAgreement.ALGORITHM;
      put("KeyPairGenerator." + agreement, CheapKeyAgreement.Pairs.class.getName());
      put("KeyFactory." + agreement, CheapKeyAgreement.Keys.class.getName());
      put("KeyAgreement." + agreement, CheapKeyAgreement.Agreement.class.getName());
      put("KeyPairGenerator.RSA", CheapRsaKeys.class.getName());
      put("Signature.RSASSA-PSS", CheapSignature.class.getName());
      put("Signature.SHA256withRSA", CheapSignature.class.getName());
      put("Cipher.AES/GCM/NoPadding", CheapCipher.class.getName());
    }
  }

  private CheapCryptography() {}

  /** Has this process use it from now on. */
  public static void install() {
    Security.insertProviderAt(provider(), 1);
  }

  /** Its services, which are not installed. */
  static Provider provider() {
    return new Services();
  }
}
