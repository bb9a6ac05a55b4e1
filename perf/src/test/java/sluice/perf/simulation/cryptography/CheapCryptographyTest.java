package sluice.perf.simulation.cryptography;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.XECPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lengths as of Java's own cryptography, and errors where that finds errors. */
class CheapCryptographyTest {
  private static final Provider CHEAP = CheapCryptography.provider();
  private static final byte[] TEXT = "get a\r\n".repeat(9).getBytes(US_ASCII);
  private static final byte[] ADDITIONAL = {23, 3, 3, 0, 79};

  private static Cipher cipher(int mode, int key, int nonce, Provider... of) throws Exception {
    String name = "AES/GCM/NoPadding";
    Cipher cipher = of.length == 0 ? Cipher.getInstance(name) : Cipher.getInstance(name, of[0]);
    byte[] secret = new byte[16];
    secret[3] = (byte) key;
    byte[] bytes = new byte[12];
    bytes[11] = (byte) nonce;
    cipher.init(mode, new SecretKeySpec(secret, "AES"), new GCMParameterSpec(128, bytes));
    return cipher;
  }

  private static byte[] encrypted(byte[] text) throws Exception {
    Cipher cipher = cipher(Cipher.ENCRYPT_MODE, 1, 1, CHEAP);
    cipher.updateAAD(ADDITIONAL);
    return cipher.doFinal(text);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 16, 63, 5000})
  void shouldDecryptWhatItHasEncryptedToTheLengthOfTheRealCipher(int length) throws Exception {
    byte[] text = new byte[length];
    byte[] sent = encrypted(text);
    assertThat(sent).hasSameSizeAs(cipher(Cipher.ENCRYPT_MODE, 1, 1).doFinal(text));
    if (length > 0) {
      assertThat(sent).isNotEqualTo(text);
    }
    Cipher cipher = cipher(Cipher.DECRYPT_MODE, 1, 1, CHEAP);
    cipher.updateAAD(ByteBuffer.wrap(ADDITIONAL));
    ByteBuffer inPlace = ByteBuffer.wrap(sent);
    assertThat(cipher.doFinal(inPlace.duplicate(), inPlace)).isEqualTo(length);
    assertThat(Arrays.copyOf(sent, length)).isEqualTo(text);
  }

  @Test
  void shouldFindAnyChangedByte() throws Exception {
    byte[] sent = encrypted(TEXT);
    for (int at = 0; at < sent.length; at++) {
      byte[] changed = sent.clone();
      changed[at] ^= 4;
      Cipher cipher = cipher(Cipher.DECRYPT_MODE, 1, 1, CHEAP);
      cipher.updateAAD(ADDITIONAL);
      assertThatThrownBy(() -> cipher.doFinal(changed)).isInstanceOf(AEADBadTagException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"another key", "another nonce", "another header", "too short"})
  void shouldFindWhatDoesNotBelongTogether(String what) throws Exception {
    Cipher cipher =
        cipher(
            Cipher.DECRYPT_MODE,
            what.equals("another key") ? 2 : 1,
            what.equals("another nonce") ? 2 : 1,
            CHEAP);
    cipher.updateAAD(what.equals("another header") ? new byte[5] : ADDITIONAL);
    byte[] sent = what.equals("too short") ? new byte[15] : encrypted(TEXT);
    assertThatThrownBy(() -> cipher.doFinal(sent)).isInstanceOf(AEADBadTagException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RSASSA-PSS", "SHA256withRSA"})
  void shouldSignWithTheLengthOfTheKeyAndFindAnotherKeyOrText(String algorithm) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA", CHEAP);
    generator.initialize(1024);
    KeyPair keys = generator.generateKeyPair();
    KeyPair again = generator.generateKeyPair();
    assertThat(again.getPublic().getEncoded()).hasSameSizeAs(keys.getPublic().getEncoded());
    assertThat(again.getPrivate().getEncoded()).hasSameSizeAs(keys.getPrivate().getEncoded());
    Signature signature = signature(algorithm);
    signature.initSign(keys.getPrivate());
    signature.update(TEXT);
    byte[] signed = signature.sign();
    assertThat(signed).hasSize(128);
    assertThat(verifies(algorithm, keys.getPublic(), TEXT, signed)).isTrue();
    assertThat(verifies(algorithm, keys.getPublic(), ADDITIONAL, signed)).isFalse();
    assertThat(verifies(algorithm, again.getPublic(), TEXT, signed)).isFalse();
    signed[100]++;
    assertThat(verifies(algorithm, keys.getPublic(), TEXT, signed)).isFalse();
  }

  private static Signature signature(String algorithm) throws Exception {
    Signature signature = Signature.getInstance(algorithm, CHEAP);
    if (algorithm.equals("RSASSA-PSS")) {
      signature.setParameter(
          new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
    }
    return signature;
  }

  private static boolean verifies(String algorithm, PublicKey key, byte[] text, byte[] signed)
      throws Exception {
    Signature signature = signature(algorithm);
    signature.initVerify(key);
    signature.update(text);
    return signature.verify(signed);
  }

  @Test
  void shouldGiveBothEndsTheSameSecret() throws Exception {
    KeyPair one = keyPair();
    KeyPair other = keyPair();
    byte[] secret = secret(one, other);
    assertThat(secret).hasSize(32).isEqualTo(secret(other, one));
    assertThat(secret).isNotEqualTo(secret(one, keyPair()));
  }

  private static KeyPair keyPair() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("XDH", CHEAP);
    generator.initialize(NamedParameterSpec.X25519);
    return generator.generateKeyPair();
  }

  /** The public key of the peer is what its number says. */
  private static byte[] secret(KeyPair own, KeyPair peer) throws Exception {
    KeyAgreement agreement = KeyAgreement.getInstance("XDH", CHEAP);
    agreement.init(own.getPrivate());
    XECPublicKey sent = (XECPublicKey) peer.getPublic();
    PublicKey received =
        KeyFactory.getInstance("XDH", CHEAP)
            .generatePublic(new XECPublicKeySpec(sent.getParams(), sent.getU()));
    agreement.doPhase(received, true);
    return agreement.generateSecret("TlsPremasterSecret").getEncoded();
  }
}
