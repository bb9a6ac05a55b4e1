package sluice.codecs.buffer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.SliceLists;

class ReplacerTest {
  private static byte[] bytes(String text) {
    return text.getBytes(ISO_8859_1);
  }

  private static List<Replacement> pairs(String... findAndWith) {
    List<Replacement> pairs = new ArrayList<>();
    for (int i = 0; i < findAndWith.length; i += 2) {
      pairs.add(new Replacement(bytes(findAndWith[i]), bytes(findAndWith[i + 1])));
    }
    return pairs;
  }

  /** What it ought to do, said in the shortest way. */
  private static String expected(String value, List<Replacement> pairs) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    next:
    while (at < value.length()) {
      for (Replacement pair : pairs) {
        if (value.startsWith(new String(pair.find(), ISO_8859_1), at)) {
          out.append(new String(pair.with(), ISO_8859_1));
          at += pair.find().length;
          continue next;
        }
      }
      out.append(value.charAt(at++));
    }
    return out.toString();
  }

  private static String replaced(Replacer replacer, SliceList value) {
    SliceList out = new SliceList(new Slices());
    long length = replacer.lengthAfter(value);
    replacer.move(value, out);
    assertThat(value.length()).isZero();
    assertThat(out.length()).isEqualTo(length);
    return new String(SliceLists.drain(out), ISO_8859_1);
  }

  private static String replaced(SliceList value, List<Replacement> pairs) {
    Replacer replacer = new Replacer(pairs);
    return replaced(replacer, value);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "longer                     | a http://old/ b http://old/ | http://old/ |"
            + " https://new.example/ |",
        "shorter                    | xxabcxxabc                  | abc         | y                "
            + "    |",
        "away                       | 1,2,3,                      | ,           | ''               "
            + "    |",
        "as long                    | color                       | or          | ro               "
            + "    |",
        "not there                  | nothing of this             | zebra       | x                "
            + "    |",
        "what was put in is no find | aa                          | a           | aa               "
            + "    |",
        "no overlap                 | aaaaa                       | aa          | b                "
            + "    |",
        "first from the left        | xabcd                       | bcd         | 1                "
            + "    | abc,2",
        "listed first: the shorter  | xabcd                       | ab          | 1                "
            + "    | abcd,2",
        "listed first: the longer   | xabcd xabc                  | abcd        | 1                "
            + "    | ab,2",
        "exchanged                  | ping pong                   | ping        | pong             "
            + "    | pong,ping",
        "all                        | find                        | find        | with             "
            + "    |",
        "half at the end            | zzhttp://ol                 | http://old/ | n                "
            + "    |",
      })
  void shouldReplaceHoweverTheValueIsCut(
      String name, String value, String find, String with, String more) {
    List<Replacement> pairs = pairs(find, with);
    if (more != null) {
      pairs.addAll(pairs(more.split(",")));
    }
    for (int size = 1; size <= value.length(); size++) {
      for (int kept : new int[] {1, 2, Replacer.MOST_KEPT}) {
        SliceList pieces = SliceLists.of(bytes(value), size);
        assertThat(replaced(new Replacer(pairs, kept), pieces)).isEqualTo(expected(value, pairs));
      }
    }
  }

  @Provide
  Arbitrary<String> few() {
    return Arbitraries.strings().withChars('a', 'b', '\0').ofMinLength(1).ofMaxLength(6);
  }

  @Property(tries = 500)
  void shouldReplaceAsBytesAreReplacedOneAfterTheOther(
      @ForAll("few") String start,
      @ForAll @Size(min = 1, max = 4) List<@net.jqwik.api.From("few") String> finds,
      @ForAll @IntRange(max = 300) int length,
      @ForAll @IntRange(min = 1, max = 30) int kept,
      @ForAll Random random) {
    List<Replacement> pairs = new ArrayList<>();
    for (String find : finds) {
      pairs.add(new Replacement(bytes(find), bytes("#".repeat(random.nextInt(4)))));
    }
    StringBuilder value = new StringBuilder(start);
    while (value.length() < length) {
      value.append(
          random.nextInt(3) == 0
              ? finds.get(random.nextInt(finds.size()))
              : "a\0b".charAt(random.nextInt(3)));
    }
    SliceList pieces = SliceLists.cut(bytes(value.toString()), random, 1 + random.nextInt(40));
    assertThat(replaced(new Replacer(pairs, kept), pieces))
        .isEqualTo(expected(value.toString(), pairs));
  }

  @Test
  void shouldGoOnWithOneReplacerFromValueToValue() {
    List<Replacement> pairs = pairs("aab", "X");
    Replacer replacer = new Replacer(pairs);
    for (String value : new String[] {"aaaab", "aa", "baab", "aab".repeat(1000)}) {
      assertThat(replaced(replacer, SliceLists.of(bytes(value), 5)))
          .isEqualTo(expected(value, pairs));
      assertThat(replacer.found()).isEqualTo(value.contains("aab"));
    }
  }

  /** Of each it would have to know the offset, and a value may have as many as it has bytes. */
  @Test
  void shouldNotKeepAllOccurrencesOfAValue() {
    List<Replacement> pairs = pairs("a", "bc", "x", "", "rare", "often");
    Replacer replacer = new Replacer(pairs);
    String many = "a".repeat(3 * Replacer.MOST_KEPT) + "xrare" + "a".repeat(Replacer.MOST_KEPT);
    for (String value : new String[] {many, "a", "r".repeat(99), "x".repeat(99_999)}) {
      assertThat(replaced(replacer, SliceLists.of(bytes(value), 1500)))
          .isEqualTo(expected(value, pairs));
      assertThat(replacer.room()).isLessThanOrEqualTo(Replacer.MOST_KEPT);
    }
  }

  @Test
  void shouldCutAndCopyTheSameWhereverItSearchesAgain() {
    List<Replacement> pairs = pairs("find", "with more");
    String value = ("v".repeat(2000) + "find" + "v".repeat(900) + "find").repeat(20);
    List<Integer> expected = lengths(new Replacer(pairs), SliceLists.of(bytes(value), 5000));
    for (int kept = 1; kept < 20; kept++) {
      SliceList pieces = SliceLists.of(bytes(value), 5000);
      assertThat(lengths(new Replacer(pairs, kept), pieces)).isEqualTo(expected);
    }
  }

  /** The lengths of the buffers that replacement results in. */
  private static List<Integer> lengths(Replacer replacer, SliceList value) {
    SliceList out = new SliceList(new Slices());
    replacer.lengthAfter(value);
    replacer.move(value, out);
    List<Integer> lengths = new ArrayList<>();
    for (int i = 0; i < out.count(); i++) {
      lengths.add(out.get(i).readableBytes());
    }
    out.clear();
    return lengths;
  }

  @Test
  void shouldCopyNothingButWhatItPutsInAndShortRemains() {
    byte[] value = new byte[20_000];
    Arrays.fill(value, (byte) 'v');
    System.arraycopy(bytes("find"), 0, value, 9_998, 4); // over a border
    SliceList pieces = SliceLists.of(value, 5_000);
    List<ByteBuf> before = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      before.add(pieces.get(i));
    }
    SliceList out = new SliceList(new Slices());
    Replacer replacer = new Replacer(pairs("find", "with more"));
    assertThat(replacer.lengthAfter(pieces)).isEqualTo(20_005);
    replacer.move(pieces, out);
    assertThat(out.count()).isEqualTo(5);
    assertThat(out.get(0)).isSameAs(before.get(0));
    assertThat(out.get(1).memoryAddress()).isEqualTo(before.get(1).memoryAddress() + 3);
    assertThat(out.get(2).readableBytes()).isEqualTo(9);
    assertThat(out.get(3)).isSameAs(before.get(2));
    assertThat(out.get(4)).isSameAs(before.get(3));
    out.clear();
    before.forEach(piece -> assertThat(piece.refCnt()).isZero());
  }

  /**
   * Ten times the bytes may take ten times as long, and not a hundred times: a string that nearly
   * matches everywhere, of which each comparison would take 10,000 steps.
   */
  @Test
  void shouldNotTakeLongerBecauseBytesNearlyMatch() {
    List<Replacement> pairs = pairs("a".repeat(20_000), "x");
    byte[] value = bytes(("a".repeat(19_999) + "b").repeat(200) + "a".repeat(45_000));
    SliceList pieces = SliceLists.of(value, 60_000);
    long start = System.nanoTime();
    Replacer replacer = new Replacer(pairs);
    assertThat(replacer.lengthAfter(pieces)).isEqualTo(value.length - 2 * 19_999L);
    assertThat((System.nanoTime() - start) / 1_000_000).isLessThan(10_000);
    pieces.clear();
  }

  @FuzzTest(maxDuration = "60s")
  void shouldReplaceInAnyValue(byte[] bytes) {
    if (bytes.length < 8) {
      return;
    }
    int first = 1 + Math.floorMod(bytes[0], 4);
    int second = 1 + Math.floorMod(bytes[1], 4);
    String text = new String(bytes, ISO_8859_1);
    List<Replacement> pairs =
        pairs(text.substring(2, 2 + first), "<>", text.substring(3, 3 + second), "");
    SliceList pieces = SliceLists.of(bytes, 1 + Math.floorMod(bytes[2], 20));
    assertThat(replaced(pieces, pairs)).isEqualTo(expected(text, pairs));
  }
}
