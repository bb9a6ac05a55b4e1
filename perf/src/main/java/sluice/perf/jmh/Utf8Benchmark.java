package sluice.perf.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.buffer.Utf8;

/** Whether a key is UTF-8, which Ignite's nodes want, beside the JDK's decoder. */
public class Utf8Benchmark extends CodecBenchmark {
  /** What the key is made of. */
  @Param({"ascii", "umlauts"})
  public String letters;

  private final Utf8 utf8 = new Utf8();
  private final CharsetDecoder decoder =
      UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT);
  private final CharBuffer characters = CharBuffer.allocate(256);
  private ByteBuf key;
  private ByteBuffer nio;

  /** Compares both, also with bytes that are none. */
  @Setup
  public void setup() {
    byte[] text = (letters.equals("ascii") ? "user:12345" : "Größe:1234").repeat(8).getBytes(UTF_8);
    for (int cut = text.length; cut > text.length - 4; cut--) {
      text[cut - 1] |= (byte) 0xC0; // the first byte of a character of two, without the other
      wrap(text);
      same(sluice(), false, "bytes that are no UTF-8");
      same(decoder(), false, "bytes that are no UTF-8, by the decoder");
      text[cut - 1] = 'x';
    }
    wrap(text);
    same(sluice(), true, "UTF-8");
    same(decoder(), true, "UTF-8, by the decoder");
  }

  private void wrap(byte[] text) {
    key = direct(text);
    nio = ByteBuffer.allocateDirect(text.length).put(0, text);
  }

  /** Ours. */
  @Benchmark
  public boolean sluice() {
    return utf8.isValid(key, 0, key.writerIndex());
  }

  /** The JDK's, which makes characters of it. */
  @Benchmark
  public boolean decoder() {
    nio.clear();
    characters.clear();
    decoder.reset();
    return !decoder.decode(nio, characters, true).isError();
  }
}
