package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.gateway.route.hash.Member;
import sluice.gateway.route.hash.Ring;
import sluice.names.Distribution;
import sluice.names.HashFunction;
import sluice.names.Labelled;

/**
 * Each hash function of rings, over a key of 43 bytes, and a division, which is all that the
 * distribution {@code modula_libmemcached} does besides.
 */
public class HashFunctionBenchmark extends CodecBenchmark {
  private static final String KEY = "The quick brown fox jumps over the lazy dog";
  private static final int MEMBERS = 9973; // a prime

  /** Its name in configurations. */
  @Param({
    "one_at_a_time",
    "md5",
    "crc16",
    "crc32",
    "crc32a",
    "fnv1_64",
    "fnv1a_64",
    "fnv1_32",
    "fnv1a_32",
    "hsieh",
    "murmur",
    "murmur3",
    "jenkins"
  })
  public String function;

  private Ring ring;
  private ByteBuf key;

  /** Compares with what is published of this very key, or what libmemcached answers for it. */
  @Setup
  public void setup() {
    List<Member> members =
        IntStream.range(0, MEMBERS)
            .mapToObj(i -> new Member("m" + i, "10.0.0.1", 1 + i, 1))
            .toList();
    ring =
        Ring.of(
            Labelled.named(HashFunction.class, function),
            Distribution.MODULA_LIBMEMCACHED,
            "",
            members);
    key = direct(KEY);
    same(server(), Integer.remainderUnsigned(known(function), MEMBERS), function);
  }

  private static int known(String function) {
    return switch (function) {
      case "one_at_a_time" -> 0x519E91F5;
      case "md5" -> 0x9D7D109E; // the first of the digest's words, little endian
      case "crc16" -> crc16(bytes(KEY));
      case "crc32" -> (0x414FA339 >>> 16) & 0x7FFF;
      case "crc32a" -> 0x414FA339;
      case "fnv1_64" -> 0x7DE3_7ACE; // of 64 bits, the lower half
      case "fnv1a_64" -> 0xE7E4_7110;
      case "fnv1_32" -> 0xE9C8_6C6E;
      case "fnv1a_32" -> 0x048F_FF90;
      case "hsieh" -> 0x1C19EE97;
      case "murmur" -> 0x30C79125;
      case "murmur3" -> 0x9B2E7C8A;
      case "jenkins" -> 0x12B8163C;
      default -> throw new IllegalArgumentException(function);
    };
  }

  /** CRC-16/XMODEM bit by bit, in a register of 32 bits that keeps what is shifted out of 16. */
  private static int crc16(byte[] bytes) {
    int register = 0;
    for (byte each : bytes) {
      int top = ((register >>> 8) ^ each) & 0xFF;
      int table = top << 8;
      for (int bit = 0; bit < 8; bit++) {
        table = (table & 0x8000) != 0 ? ((table << 1) ^ 0x1021) & 0xFFFF : table << 1;
      }
      register = (register << 8) ^ table;
    }
    return register;
  }

  /** The remainder of the key's hash. */
  @Benchmark
  public int server() {
    return ring.serverOf(key, 0, key.writerIndex());
  }
}
