package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.util.Base64;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.memcached.text.Base64Key;

/** Meta keys in base64, beside the JDK's with new arrays. */
public class Base64KeyBenchmark extends CodecBenchmark {
  /** Bytes of the key that is written in base64. */
  @Param({"20", "186"})
  public int length;

  private ByteBuf raw;
  private ByteBuf encoded;
  private ByteBuf out;

  /** Compares both with the JDK's answer. */
  @Setup
  public void setup() {
    byte[] key = new byte[length];
    new Random(length).nextBytes(key);
    byte[] expected = Base64.getEncoder().encode(key);
    raw = direct(key);
    encoded = direct(expected);
    out = direct(256);
    sameBytes(encode(), encoded, "the key encoded");
    sameBytes(encodeArrays(), encoded, "the key encoded with new arrays");
    sameBytes(decode(), raw, "the key decoded");
    sameBytes(decodeArrays(), raw, "the key decoded with new arrays");
  }

  /** Ours. */
  @Benchmark
  public ByteBuf encode() {
    Base64Key.encode(raw, 0, raw.writerIndex(), out.clear());
    return out;
  }

  /** The JDK's. */
  @Benchmark
  public ByteBuf encodeArrays() {
    byte[] key = new byte[raw.writerIndex()];
    raw.getBytes(0, key);
    return out.clear().writeBytes(Base64.getEncoder().encode(key));
  }

  /** Ours: whether it is base64, and what it stands for. */
  @Benchmark
  public ByteBuf decode() {
    Base64Key.decode(encoded, 0, encoded.writerIndex(), out.clear());
    return out;
  }

  /** The JDK's, which throws if it is none. */
  @Benchmark
  public ByteBuf decodeArrays() {
    byte[] key = new byte[encoded.writerIndex()];
    encoded.getBytes(0, key);
    return out.clear().writeBytes(Base64.getDecoder().decode(key));
  }
}
