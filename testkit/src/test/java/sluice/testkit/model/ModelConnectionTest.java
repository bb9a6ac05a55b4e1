package sluice.testkit.model;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testkit.hostile.Bender;

class ModelConnectionTest {
  private static final int CONVERSATIONS = 300;
  private static final int REQUESTS = 6;
  private static final int LONG = 2_000; // whether a longer line is taken depends on how it comes

  /**
   * What is longer than a key may be. When a get has such a key, memcached drops the replies that
   * it has not sent. So the replies depend on how the requests come.
   */
  private static final Pattern LONG_WORD = Pattern.compile("[^ \\n]{251}");

  /** A conversation with bent requests, whose lines end. */
  private static byte[] conversation(Random random, int number) {
    byte[] conversation = anyConversation(random, number);
    while (LONG_WORD.matcher(new String(conversation, ISO_8859_1)).find()) {
      conversation = anyConversation(random, number);
    }
    return conversation;
  }

  private static byte[] anyConversation(Random random, int number) {
    Bender bender = new Bender(random, "c" + number + ":");
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < REQUESTS; i++) {
      byte[] request = bender.next();
      if (request.length < LONG && request.length > 0 && request[0] > 0) {
        all.writeBytes(request);
      }
    }
    all.writeBytes("\r\nversion\r\n".getBytes(ISO_8859_1));
    return all.toByteArray();
  }

  private static String replies(Lines lines, byte[] requests, Random random, int most) {
    ModelConnection connection = new Model(lines, InstantSource.system()).connect(1);
    ByteArrayOutputStream replies = new ByteArrayOutputStream();
    for (int from = 0; from < requests.length && !connection.isClosed(); ) {
      int to = Math.min(requests.length, from + random.nextInt(most) + 1);
      replies.writeBytes(connection.receive(Arrays.copyOfRange(requests, from, to)));
      from = to;
    }
    return replies.toString(ISO_8859_1);
  }

  private static String repliesOfServer(Lines lines, byte[] requests) throws IOException {
    try (ModelServer server = new ModelServer(lines);
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      socket.getOutputStream().write(requests);
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldAnswerAlikeWhereverItsInputIsCut(Lines lines) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < CONVERSATIONS; i++) {
      byte[] requests = conversation(random, i);
      String shown = "seed " + seed + ": " + new String(requests, ISO_8859_1);
      String whole = replies(lines, requests, random, requests.length);
      assertThat(replies(lines, requests, random, 1)).as(shown).isEqualTo(whole);
      assertThat(replies(lines, requests, random, 40)).as(shown).isEqualTo(whole);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldAnswerAsTheModelBehindASocket(Lines lines) throws Exception {
    Random random = new Random(20_261_128);
    for (int i = 0; i < 50; i++) {
      byte[] requests = conversation(random, i);
      assertThat(replies(lines, requests, random, 100))
          .as(new String(requests, ISO_8859_1))
          .isEqualTo(repliesOfServer(lines, requests));
    }
  }

  @Test
  void shouldExpireByItsOwnClock() {
    InstantSource clock = InstantSource.fixed(Instant.ofEpochSecond(2_000_000_000));
    Model model = new Model(Lines.V1_6_45, clock);
    ModelConnection connection = model.connect(1);
    connection.receive(
        "set a 0 1999999999 1\r\nv\r\nset b 0 2000000001 1\r\nv\r\n".getBytes(ISO_8859_1));
    assertThat(model.value("a")).isNull();
    assertThat(model.value("b")).isNotNull();
  }

  @ParameterizedTest
  @EnumSource
  void shouldTellItsWrites(Lines lines) {
    List<String> writes = new ArrayList<>();
    Model model =
        new Model(lines, InstantSource.system(), (key, flags) -> writes.add(key + " " + flags));
    byte[] requests =
        "set a 7 0 1\r\nx\r\nadd a 8 0 1\r\ny\r\ndelete a\r\nadd a 9 0 1\r\nz\r\n"
            .getBytes(ISO_8859_1);
    assertThat(new String(model.connect(1).receive(requests), ISO_8859_1))
        .isEqualTo("STORED\r\nNOT_STORED\r\nDELETED\r\nSTORED\r\n");
    assertThat(writes).containsExactly("a 7", "a 9");
  }

  @ParameterizedTest
  @EnumSource
  void shouldTellWhatIsAppendedApartFromWholeValues(Lines lines) {
    List<String> writes = new ArrayList<>();
    ModelWrites told =
        new ModelWrites() {
          @Override
          public void stored(String key, long flags) {
            writes.add(key + " " + flags);
          }

          @Override
          public void joined(String key, byte[] added) {
            writes.add(key + " + " + new String(added, ISO_8859_1));
          }
        };
    String requests =
        """
        append a 0 0 1
        w
        set a 7 0 1
        1
        append a 0 0 1
        2
        incr a 1
        prepend a 0 0 2
        34
        """
            .replace("\n", "\r\n");
    Model model = new Model(lines, InstantSource.system(), told);
    byte[] replies = model.connect(1).receive(requests.getBytes(ISO_8859_1));
    assertThat(new String(replies, ISO_8859_1))
        .isEqualTo("NOT_STORED\r\nSTORED\r\nSTORED\r\n13\r\nSTORED\r\n");
    assertThat(writes).containsExactly("a 7", "a + 2", "a + 34");
  }
}
