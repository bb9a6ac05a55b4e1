package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two clients of one event loop, of different listeners, share the handlers of their requests. The
 * requests of one wait while those of the other are answered: each gets its own replies, by the
 * rules of its own listener.
 */
class SharedHandlersTest {
  private static final String YAML =
      """
      listeners:
        first: {bind: 127.0.0.1:0, route: first}
        second: {bind: 127.0.0.2:0, route: second, dialects: [text]}
      routes:
        first:
        - {match: {prefix: "copy:"}, replicate: {pools: [a, b], acks: all}}
        - {match: {prefix: "short:"}, pool: a, key: {strip: "short:", add: "long-name:"}}
        - {match: {prefix: "b:"}, pool: b}
        - {match: {prefix: "no:"}, reject: "refused to the first"}
        - {pool: a}
        second:
        - {match: {prefix: "a:"}, reject: "refused to the second"}
        - {pool: b}
      pools:
        a: {protocol: memcached, servers: ["127.0.0.1:1"]}
        b: {protocol: memcached, servers: ["127.0.0.1:2"]}
      """;

  /** What the second client sends, one read each, while requests of the first wait. */
  private static final String[] OTHERS = {
    "get b:1~get~get b:2 b:3~set b:4 0 0 3~b",
    ":4~mg b:5 v~nonsense~set a:6 0 0 5~he",
    "llo~get a:7~get a:8 b:8~watch~delete b:9~ms b:1 3~b:1~",
  };

  private static final String REPLIES_TO_OTHERS =
      "VALUE b:1 0 3~b:1~END~CLIENT_ERROR bad command line format~VALUE b:2 0 3~b:2~"
          + "VALUE b:3 0 3~b:3~END~STORED~ERROR~ERROR~"
          + "SERVER_ERROR refused to the second~SERVER_ERROR refused to the second~"
          + "SERVER_ERROR refused to the second~CLIENT_ERROR watch commands not allowed~DELETED~"
          + "ERROR~";

  private static String lines(String text) {
    return text.replace("~", "\r\n");
  }

  private final SocketlessWorld world = new SocketlessWorld(YAML, "first", "second");

  private void firstSays(String text) {
    world.says(world.first, lines(text));
  }

  private void othersAreAnswered() {
    for (String read : OTHERS) {
      world.says(world.second, lines(read));
      world.settle();
    }
    assertThat(world.heard(world.second)).isEqualTo(lines(REPLIES_TO_OTHERS));
  }

  private void close() {
    world.close();
    world.assertHoldsNothing();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "get a:1~ > VALUE a:1 0 3~a:1~END~",
        "get  short:1~get b:1~ > VALUE short:1 0 11~long-name:1~END~VALUE b:1 0 3~b:1~END~",
        "get a:1 b:1 a:2~ > VALUE a:1 0 3~a:1~VALUE b:1 0 3~b:1~VALUE a:2 0 3~a:2~END~",
        "delete a:1~delete a:2 noreply~ > DELETED~",
        "incr a:1 5~ > 5~",
        "mg a:1 v k Oq~mn~ > VA 3 ka:1 Oq~a:1~MN~",
        "md a:1 q~mn~ > MN~",
        "set a:1 0 0 3~a:1~ > STORED~",
        "set short:1 0 0 11 noreply~long-name:1~mn~ > MN~",
        "ms a:1 3 k Oq~a:1~ > HD ka:1 Oq~",
        "ms copy:1 6~copy:1~mg copy:1 v~ > HD~VA 6~copy:1~",
        "delete copy:1~ > DELETED~",
        "get a:1~set no:1 0 0 3~abc~ > VALUE a:1 0 3~a:1~END~SERVER_ERROR refused to the first~",
        "get a:1~nonsense~ > VALUE a:1 0 3~a:1~END~ERROR~",
      })
  void shouldGoOnForItsOwnClient(String requests, String replies) {
    world.a.accepts(false);
    firstSays(requests);
    othersAreAnswered();
    assertThat(world.heard(world.first)).isEmpty();
    world.a.accepts(true);
    world.settle();
    assertThat(world.heard(world.first)).isEqualTo(lines(replies));
    othersAreAnswered();
    close();
  }

  /** Its data block comes in parts, and then it waits for its server. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "set a:1 0 0 3~ > a:1~ > STORED~",
        "set  short:1 0 0 11~ > long-name:1~ > STORED~",
        "ms a:1 3 k Oq~ > a:1~ > HD ka:1 Oq~",
        "ms copy:1 6 k~ > copy:1~ > HD kcopy:1~",
        "set a:1 0 0 3~ > a:123 > CLIENT_ERROR bad data chunk~",
        "set no:1 0 0 3~ > abc~ > SERVER_ERROR refused to the first~",
      })
  void shouldGatherForItsOwnClient(String line, String block, String replies) {
    firstSays(line);
    othersAreAnswered();
    world.a.accepts(false);
    firstSays(block);
    othersAreAnswered();
    world.a.accepts(true);
    world.settle();
    assertThat(world.heard(world.first)).isEqualTo(lines(replies));
    assertThat(world.heard(world.second)).isEmpty();
    close();
  }

  /** No reader is left for the keys that were not requested yet. */
  @ParameterizedTest
  @ValueSource(strings = {"get", "gets"})
  void shouldEndALongGetOfAClientThatLeaves(String command) {
    String keys = IntStream.range(0, 10_000).mapToObj(i -> " a:" + i).collect(Collectors.joining());
    firstSays(command + keys + "~delete a:1~");
    world.first.close();
    world.settle();
    assertThat(world.a.asked()).doesNotContain(" a:5000 ");
    assertThat(world.a.asked()).as("what is behind it is carried out").contains("delete a:1");
    othersAreAnswered();
    close();
  }

  /** More keys than are requested at once: the others' requests come between their subrequests. */
  @Test
  void shouldGoOnWithALongGetForItsOwnClient() {
    String keys =
        IntStream.range(0, 5000)
            .mapToObj(i -> (i % 2 == 0 ? " a:" : " b:") + i)
            .collect(Collectors.joining());
    world.a.accepts(false);
    firstSays("get" + keys + "~get b:1~");
    othersAreAnswered();
    assertThat(world.heard(world.first)).isEmpty();
    world.a.accepts(true);
    world.a.interrupt(() -> world.says(world.second, lines(String.join("", OTHERS))));
    world.settle();
    assertThat(world.a.isUninterrupted()).isFalse();
    assertThat(world.heard(world.second)).isEqualTo(lines(REPLIES_TO_OTHERS));
    String values =
        IntStream.range(0, 5000)
            .mapToObj(i -> (i % 2 == 0 ? "a:" : "b:") + i)
            .map(key -> "VALUE " + key + " 0 " + key.length() + "~" + key + "~")
            .collect(Collectors.joining());
    assertThat(world.heard(world.first)).isEqualTo(lines(values + "END~VALUE b:1 0 3~b:1~END~"));
    close();
  }
}
