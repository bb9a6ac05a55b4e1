package sluice.gateway.values;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.values.Talk.int32;
import static sluice.gateway.values.Talk.packet;
import static sluice.gateway.values.Talk.reply;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that leave in another form than they are stored in. */
class RewritingTest {
  private static String set(String key, String value) {
    return "set " + key + " 5 0 " + value.length() + "\r\n" + value + "\r\n";
  }

  private static String found(String key, String value) {
    return "VALUE " + key + " 5 " + value.length() + "\r\n" + value + "\r\nEND\r\n";
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", compression: {above: 64B}"})
  void shouldReplaceInWhatIsRead(String more) throws Exception {
    String settings =
        "values: {replace: [{find: \"http://old/\", with: \"https://new.example/\"}, {find: gone,"
            + " with: \"\"}]}"
            + more;
    try (ValuePool pool = new ValuePool(settings)) {
      Talk client = pool.client();
      for (int times : new int[] {0, 1, 3, 5000}) {
        String stored = "a " + "http://old/x gone ".repeat(times) + "http://ol";
        String read = "a " + "https://new.example/x  ".repeat(times) + "http://ol";
        client.expect(set("k", stored), "STORED\r\n");
        client.expect("get k\r\n", found("k", read));
        client.expect("mg k s\r\n", "HD s" + read.length() + "\r\n");
        client.expect(
            "mg k v s\r\n", "VA " + read.length() + " s" + read.length() + "\r\n" + read + "\r\n");
        pool.client().expectPacket(packet(0x00, "", "k", ""), reply(0x00, 0, int32(5), read));
        assertThat(more.isEmpty() ? pool.server().value("k") : stored).isEqualTo(stored);
      }
      client.expect("get missing\r\nmg missing v\r\n", "END\r\nEN\r\n");
      client.expect(set("n", "5"), "STORED\r\n").expect("incr n 2\r\n", "7\r\n");
      assertThat(pool.bufferedBytes()).isZero();
    }
  }

  @Test
  void shouldRefuseWhatGrowsTooLong() throws Exception {
    String settings = "values: {replace: [{find: a, with: \"%s\"}]}".formatted("b".repeat(1000));
    try (ValuePool pool = new ValuePool(settings)) {
      Talk client = pool.client();
      client.expect(set("k", "a".repeat(20_000)), "STORED\r\n");
      client.expect("get k\r\n", "SERVER_ERROR value is too long after its replacements\r\n");
      client.expect(set("k", "a".repeat(1000)), "STORED\r\n");
      client.expect("get k\r\n", found("k", "b".repeat(1_000_000)));
    }
  }

  @Test
  void shouldLeaveOutKafkasHeaders() throws Exception {
    try (ValuePool pool = new ValuePool("values: {plain: kafkaTimestampedHeaders}")) {
      Talk client = pool.client();
      String stamp = "\0\0\1\u008b\u00cf\u00e5h\0";
      String large = "v".repeat(200_000);
      for (String plain : new String[] {"", "value", large}) {
        client.expect(set("k", "\0" + stamp + plain), "STORED\r\n");
        client.expect("get k\r\n", found("k", plain));
        client.expect(set("k", "\n\2\2k\2v" + stamp + plain), "STORED\r\n");
        client.expect("get k\r\n", found("k", plain));
        client.expect("mg k s\r\n", "HD s" + plain.length() + "\r\n");
      }
      client.expect(set("k", "\1" + stamp), "STORED\r\n");
      client.expect(
          "get k\r\n",
          "SERVER_ERROR value of 9 bytes has a header size of -1, expected a size that leaves 9"
              + " other bytes\r\n");
      client.expect(set("k", ""), "STORED\r\n");
      client.expect(
          "mg k v\r\n",
          "SERVER_ERROR value of 0 bytes does not begin with a header size, expected 1 to 5"
              + " bytes\r\n");
    }
  }

  @Test
  void shouldDecompressThenStripThenReplace() throws Exception {
    String settings =
        "compression: {above: 10B}, values: {plain: kafkaHeaders, replace: [{find: ab, with: c}]}";
    try (ValuePool pool = new ValuePool(settings)) {
      Talk client = pool.client();
      client.expect(set("k", "\4ab" + "ab".repeat(500)), "STORED\r\n");
      assertThat(pool.server().value("k")).hasSizeLessThan(200);
      client.expect("get k\r\n", found("k", "c".repeat(500)));
    }
  }
}
