package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.names.HashFunction;

class HashFunctionTest {
  private static int hash(String function, String key) {
    ByteBuf buffer = Unpooled.copiedBuffer("<" + key + ">", StandardCharsets.UTF_8);
    try {
      return KeyHashes.hash(Rings.function(function), buffer, 1, buffer.readableBytes() - 2);
    } finally {
      buffer.release();
    }
  }

  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource({
    // FNV's own test suite (fnv64 cut to its low half), Jenkins' page, the CRC catalogue, RFC 1321
    "fnv1_32,      foobar,      31F0B262",
    "fnv1a_32,     foobar,      BF9CF968",
    "fnv1_64,      foobar,      A4DDA9C2",
    "fnv1a_64,     foobar,      F73967E8",
    "one_at_a_time, The quick brown fox jumps over the lazy dog, 519E91F5",
    "crc32a,       123456789,   CBF43926",
    "crc32,        123456789,   00004BF4",
    "md5,          abc,         98500190",
    // what libmemcached 1.1.4 answers; hsieh: what its own tests expect
    "murmur,       foobar,      ABECFF17",
    "murmur3,      foobar,      876B2160",
    "jenkins,      foobar,      0FDD8B60",
    "murmur,       The quick brown fox jumps over the lazy dog, 30C79125",
    "murmur3,      The quick brown fox jumps over the lazy dog, 9B2E7C8A",
    "jenkins,      The quick brown fox jumps over the lazy dog, 12B8163C",
    "hsieh, apple, DEDA533E",
    "hsieh, beat, D8BC680C",
    "hsieh, carrot, E3C0F66D",
    "hsieh, The quick brown fox jumps over the lazy dog, 1C19EE97",
    // bytes above 0x7F count as negative
    "one_at_a_time, café,       D99C709E",
    "fnv1_64,      café,        8A06FEF1",
    "fnv1a_64,     café,        CEF6BB89",
    "fnv1_32,      café,        D682F171",
    "fnv1a_32,     café,        7572C049"
  })
  void shouldGiveKnownAnswers(String function, String key, String expected) {
    assertThat(Integer.toHexString(hash(function, key)))
        .isEqualToIgnoringCase(expected.replaceFirst("^0+", ""));
  }

  @Test
  void shouldComputeFnvByteByByteWhereverTheKeyLies() {
    Random random = new Random(64);
    for (int length = 0; length <= 40; length++) {
      for (int before = 0; before <= 9; before++) {
        byte[] bytes = new byte[before + length + before];
        random.nextBytes(bytes);
        ByteBuf buffer = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
        int fnv1 = 0x811C9DC5; // the offset and prime of 32 bits, as FNV's page has them
        int fnv1a = 0x811C9DC5;
        for (int i = before; i < before + length; i++) {
          fnv1 = (fnv1 * 0x01000193) ^ bytes[i];
          fnv1a = (fnv1a ^ bytes[i]) * 0x01000193;
        }
        assertThat(KeyHashes.hash(HashFunction.FNV1_32, buffer, before, length)).isEqualTo(fnv1);
        assertThat(KeyHashes.hash(HashFunction.FNV1A_32, buffer, before, length)).isEqualTo(fnv1a);
        buffer.release();
      }
    }
  }

  @Test
  void shouldKeepCrc16WithWhatItShiftedOut() {
    assertThat(hash("crc16", "123456789") & 0xFFFF).isEqualTo(0x31C3); // CRC-16/XMODEM's check
    assertThat(hash("crc16", "12") >>> 16).isNotZero();
  }

  @Test
  void shouldKnowLibmemcachedsNames() {
    assertThat(hash("default", "foobar")).isEqualTo(hash("one_at_a_time", "foobar"));
    assertThat(hash("crc", "foobar")).isEqualTo(hash("crc32", "foobar"));
  }

  @Test
  void shouldDigestAsTheJdkWhateverTheLength() throws Exception {
    MessageDigest md5 = MessageDigest.getInstance("MD5");
    CRC32 crc = new CRC32();
    Random random = new Random(3);
    for (int length = 0; length <= 300; length++) {
      byte[] key = new byte[length];
      random.nextBytes(key);
      ByteBuf buffer = Unpooled.wrappedBuffer(new byte[] {1, 2, 3}, key, new byte[] {4});
      ByteBuffer digest = ByteBuffer.wrap(md5.digest(key)).order(ByteOrder.LITTLE_ENDIAN);
      for (int word = 0; word < 4; word++) {
        assertThat(Md5.word(buffer, 3, length, word)).isEqualTo(digest.getInt());
      }
      crc.reset();
      crc.update(key);
      assertThat(KeyHashes.hash(HashFunction.CRC32A, buffer, 3, length))
          .isEqualTo((int) crc.getValue());
      buffer.release();
    }
  }

  @Test
  void shouldHashTheEmptyKeyToItsStartingValue() {
    assertThat(hash("fnv1a_32", "")).isEqualTo(0x811C9DC5);
    assertThat(hash("one_at_a_time", "")).isZero();
    assertThat(hash("hsieh", "")).isZero();
    assertThat(hash("md5", "")).isEqualTo(0xD98C1DD4); // d41d8cd9...
    assertThat(hash("jenkins", "")).isEqualTo(0xDEADBEEF + 13);
  }
}
