package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RingTest {
  private static final List<Member> THREE =
      List.of(
          new Member("10.0.0.1:11211", "10.0.0.1", 11_211, 1),
          new Member("10.0.0.2:11211", "10.0.0.2", 11_211, 3),
          new Member("cache-c", "10.0.0.3", 11_212, 2));

  private static int serverOf(Ring ring, String key) {
    ByteBuf buffer = Unpooled.copiedBuffer("{x}" + key + "}", StandardCharsets.ISO_8859_1);
    try {
      return ring.serverOf(buffer, 3, key.length());
    } finally {
      buffer.release();
    }
  }

  static Stream<List<String>> allRings() {
    return Rings.distributions().stream()
        .flatMap(d -> Rings.functions().stream().map(function -> List.of(function, d)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("allRings")
  void shouldPlaceAnyKeyOnAMember(List<String> names) {
    Ring ring = Rings.of(names.get(0), names.get(1), "{}", THREE);
    for (String key :
        List.of("", "a", "{}", "{a}", "{", "}{", "k".repeat(250), "\u00FF\u0000\r\n")) {
      assertThat(serverOf(ring, key)).isBetween(0, 2);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("allRings")
  void shouldAllocateNothingAndMoveNoIndex(List<String> names) {
    Ring ring = Rings.of(names.get(0), names.get(1), "{}", THREE);
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    for (ByteBuf key : variants("get user:{12345}:profile and more\r\n")) {
      int sum = place(ring, key, 200); // classes loaded, code interpreted once
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 5; round++) {
        long before = thread.getThreadAllocatedBytes(id);
        sum += place(ring, key, 200);
        least = Math.min(least, thread.getThreadAllocatedBytes(id) - before);
      }
      assertThat(least).as("bytes for 200 keys in " + key + ", sum " + sum).isLessThan(200);
      assertThat(key.readerIndex()).isZero();
      assertThat(key.refCnt()).isOne();
      key.release();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("allRings")
  void shouldNotCareWhereTheBytesLie(List<String> names) {
    Ring ring = Rings.of(names.get(0), names.get(1), "", hundred());
    String text = "get user:{12345}:profile and more\r\n";
    int expected = serverOf(ring, text.substring(4));
    for (ByteBuf key : variants(text)) {
      assertThat(ring.serverOf(key, 4, text.length() - 4)).as("in " + key).isEqualTo(expected);
      key.release();
    }
  }

  /** text on the heap, off it, as a slice, and in two pieces cut at various places. */
  private static List<ByteBuf> variants(String text) {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    List<ByteBuf> variants = new ArrayList<>();
    variants.add(allocator.heapBuffer().writeBytes(bytes));
    variants.add(allocator.directBuffer().writeBytes(bytes));
    variants.add(allocator.directBuffer().writeZero(7).writeBytes(bytes).slice(7, bytes.length));
    for (int cut : new int[] {5, 9, 14, 22}) {
      variants.add(
          allocator
              .compositeBuffer()
              .addComponent(true, Unpooled.wrappedBuffer(bytes, 0, cut))
              .addComponent(true, Unpooled.wrappedBuffer(bytes, cut, bytes.length - cut)));
    }
    return variants;
  }

  private static int place(Ring ring, ByteBuf key, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
      sum += ring.serverOf(key, 4, 12 + i % 8); // with the tag closed and not
    }
    return sum;
  }

  @ParameterizedTest(name = "{1} of {0}")
  @CsvSource({
    "user:{42}:name,  42, {}",
    "{42},            42, {}",
    "a{42}b{43},      42, {}",
    "{{42}},          {42, {}",
    "}{42},           42, {}",
    "$42$,            42, $$"
  })
  void shouldHashOnlyWhatTheTagEncloses(String key, String hashed, String tag) {
    Ring tagged = Rings.of("md5", "ketama", tag, hundred());
    Ring plain = Rings.of("md5", "ketama", "", hundred());
    assertThat(serverOf(tagged, key)).isEqualTo(serverOf(plain, hashed));
    assertThat(serverOf(plain, key)).isNotEqualTo(serverOf(plain, hashed));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"plain", "{}", "{}{42}", "{42", "42}", "}42{", "$42$"})
  void shouldHashTheWholeKeyThatHasNoTagOrAnEmptyOneFirst(String key) {
    Ring tagged = Rings.of("md5", "ketama", "{}", hundred());
    Ring plain = Rings.of("md5", "ketama", "", hundred());
    assertThat(serverOf(tagged, key)).isEqualTo(serverOf(plain, key));
  }

  private static List<Member> hundred() {
    return Stream.iterate(0, i -> i + 1)
        .limit(100)
        .map(i -> new Member("s" + i, "10.0.0." + i, 11_212, 1))
        .toList();
  }

  @Test
  void shouldTellWhatIsWrong() {
    assertRefused("md5", "ketama", "{", THREE, "tag: found {, expected two ASCII characters");
    assertRefused("md5", "ketama", "\u00AB\u00BB", THREE, "tag: found \u00AB\u00BB, expected two");
    assertRefused("md5", "ketama", "", List.of(), "servers: found none");
    Member a = THREE.get(0);
    assertRefused("md5", "jump", "", List.of(a, a), "servers: found 10.0.0.1:11211 twice");
    assertRefused(
        "md5",
        "ketama",
        "",
        List.of(a, new Member("10.0.0.1", "h", 1, 1)),
        "servers: found 10.0.0.1 twice");
    assertThatThrownBy(() -> new Member("m", "h", 1, 0))
        .hasMessageStartingWith("weight of m: found 0");
  }

  private static void assertRefused(
      String function, String distribution, String tag, List<Member> members, String message) {
    assertThatThrownBy(() -> Rings.of(function, distribution, tag, members))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void shouldRefuseMoreWeightThanItCanCount() {
    List<Member> heavy =
        List.of(
            new Member("a", "a", 1, Integer.MAX_VALUE), new Member("b", "b", 1, Integer.MAX_VALUE));
    assertThatThrownBy(() -> Rings.of("md5", "jump", "", heavy))
        .hasMessageStartingWith("weights: found a sum of more than 2147483647");
    assertThat(serverOf(Rings.of("md5", "ketama", "", heavy), "k")).isBetween(0, 1);
  }
}
