package sluice.perf.simulation.cryptography;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.Key;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Cipher with the lengths of AES in Galois/Counter Mode, but without its arithmetic. It combines
 * bytes with simple pseudorandom numbers, and its tag is a 64-bit checksum and its complement. Key,
 * nonce, additional data and text all change both. So changed, lost and repeated records are found
 * as usual.
 */
public final class CheapCipher extends CipherSpi {
  private static final int TAG = 16;
  private static final long PRIME = 0x100000001b3L;
  private static final long BASIS = 0xcbf29ce484222325L;
  private static final long STEP = 0x9e3779b97f4a7c15L;

  private boolean encrypts;
  private byte[] nonce = {};
  private long sum; // of everything until now
  private long stream; // state of the pseudorandom numbers

  @Override
  protected void engineSetMode(String mode) {}

  @Override
  protected void engineSetPadding(String padding) throws NoSuchPaddingException {
    if (!padding.equalsIgnoreCase("NoPadding")) {
      throw new NoSuchPaddingException("found " + padding + ", expected NoPadding");
    }
  }

  @Override
  protected int engineGetBlockSize() {
    return 16;
  }

  @Override
  protected int engineGetOutputSize(int input) {
    return encrypts ? input + TAG : Math.max(0, input - TAG);
  }

  @Override
  protected byte[] engineGetIV() {
    return nonce.clone();
  }

  @Override
  protected @Nullable AlgorithmParameters engineGetParameters() {
    return null;
  }

  @Override
  protected void engineInit(int mode, Key key, SecureRandom random) {
    throw new UnsupportedOperationException("found no nonce, expected one");
  }

  @Override
  protected void engineInit(int mode, Key key, AlgorithmParameters of, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    throw new InvalidAlgorithmParameterException("found " + of + ", expected a GCMParameterSpec");
  }

  @Override
  protected void engineInit(int mode, Key key, AlgorithmParameterSpec of, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    if (!(of instanceof GCMParameterSpec gcm) || gcm.getTLen() != 8 * TAG) {
      throw new InvalidAlgorithmParameterException(
          "found " + of + ", expected a GCMParameterSpec with a tag of " + TAG + " bytes");
    }
    encrypts = mode == Cipher.ENCRYPT_MODE;
    nonce = gcm.getIV();
    sum = BASIS;
    add(key.getEncoded());
    add(nonce);
    stream = sum;
  }

  private void add(byte[] bytes) {
    add(bytes, 0, bytes.length);
  }

  private void add(byte[] bytes, int from, int count) {
    for (int i = from; i < from + count; i++) {
      add(bytes[i]);
    }
  }

  private void add(byte one) {
    sum = (sum ^ one) * PRIME;
  }

  /** The next pseudorandom byte. */
  private int next() {
    stream += STEP;
    return (int) (((stream ^ (stream >>> 29)) * PRIME) >>> 40);
  }

  @Override
  protected void engineUpdateAAD(byte[] bytes, int from, int count) {
    add(bytes, from, count);
  }

  @Override
  protected void engineUpdateAAD(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      add(bytes.get());
    }
  }

  @Override
  protected byte[] engineUpdate(byte[] in, int from, int count) {
    throw new UnsupportedOperationException("found a part of a record, expected a whole one");
  }

  @Override
  protected int engineUpdate(byte[] in, int from, int count, byte[] out, int at) {
    throw new UnsupportedOperationException("found a part of a record, expected a whole one");
  }

  @Override
  protected byte[] engineDoFinal(byte[] in, int from, int count) throws AEADBadTagException {
    ByteBuffer out = ByteBuffer.allocate(engineGetOutputSize(count));
    run(ByteBuffer.wrap(in, from, count), out);
    return out.array();
  }

  @Override
  protected int engineDoFinal(byte[] in, int from, int count, byte[] out, int at)
      throws AEADBadTagException, ShortBufferException {
    return engineDoFinal(
        ByteBuffer.wrap(in, from, count), ByteBuffer.wrap(out, at, out.length - at));
  }

  @Override
  protected int engineDoFinal(ByteBuffer in, ByteBuffer out)
      throws AEADBadTagException, ShortBufferException {
    int length = engineGetOutputSize(in.remaining());
    if (out.remaining() < length) {
      throw new ShortBufferException(
          "found room for " + out.remaining() + " bytes, expected " + length);
    }
    run(in, out);
    return length;
  }

  /** Both may be the same memory, at the same place. */
  private void run(ByteBuffer in, ByteBuffer out) throws AEADBadTagException {
    if (encrypts) {
      while (in.hasRemaining()) {
        byte plain = in.get();
        add(plain);
        out.put((byte) (plain ^ next()));
      }
      out.putLong(sum).putLong(~sum);
      return;
    }
    if (in.remaining() < TAG) {
      throw new AEADBadTagException("found " + in.remaining() + " bytes, expected a tag");
    }
    while (in.remaining() > TAG) {
      byte plain = (byte) (in.get() ^ next());
      add(plain);
      out.put(plain);
    }
    long tag = in.getLong();
    long complement = in.getLong();
    if (tag != sum || complement != ~sum) {
      throw new AEADBadTagException("the tag does not match");
    }
  }
}
