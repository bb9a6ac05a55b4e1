package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests that the gateway refuses: a client that has written noreply reads no reply, and would
 * take one for that to its next request.
 */
class SilentRefusalsTest {
  private static final String YAML =
      """
      listeners:
        first: {bind: 127.0.0.1:0, route: both, allow: ALLOW}
        second: {bind: 127.0.0.2:0, route: both, dialects: [meta]}
      routes:
        both:
        - {match: {prefix: "b:"}, pool: b}
        - {pool: a}
      pools:
        a: {protocol: memcached, servers: ["127.0.0.1:1"]}
        b: {protocol: memcached, servers: ["127.0.0.1:2"]}
      """;

  private static SocketlessWorld world(String allow) {
    return new SocketlessWorld(YAML.replace("ALLOW", allow), "first", "second");
  }

  private static String lines(String text) {
    return text.replace("~", "\r\n");
  }

  private static String firstHears(SocketlessWorld world, String text) {
    world.says(world.first, lines(text));
    world.settle();
    String heard = world.heard(world.first);
    world.close();
    return heard;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "flush_all noreply~mn~             > MN~",
        "flush_all 10 noreply~mn~          > MN~",
        "flush_all~mn~                     > CLIENT_ERROR flush_all not allowed~MN~",
        "verbosity 1 noreply~mn~           > MN~",
        "cache_memlimit 64 noreply~mn~     > MN~",
        "slabs automove 1 noreply~mn~      > MN~",
        "lru_crawler crawl all noreply~mn~ > MN~",
        "watch fetchers noreply~mn~        > CLIENT_ERROR watch commands not allowed~MN~",
        "shutdown noreply~mn~              > MN~",
        "debug noreply~mn~                 > MN~",
        "lru mode flat noreply~mn~         > MN~",
        "refresh_certs noreply~mn~         > MN~",
        "refresh_certs~mn~                 > CLIENT_ERROR refresh_certs not allowed~MN~",
      })
  void shouldNotAnswerCommandsThatAreNotAllowed(String requests, String replies) {
    assertThat(firstHears(world("[]"), requests)).isEqualTo(lines(replies));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "slabs automove 1 noreply~mn~      > MN~",
        "slabs automove 1~mn~              > CLIENT_ERROR slabs needs a route to one server~MN~",
        "slabs reassign 1 2 noreply~mn~    > MN~",
        "mn~watch fetchers noreply~mn~     > MN~ERROR~MN~",
        "mn~watch fetchers~mn~ > MN~ERROR cannot pipeline other commands before watch~MN~",
      })
  void shouldNotAnswerAllowedCommandsThatAreRefused(String requests, String replies) {
    assertThat(firstHears(world("[slabs, watch]"), requests)).isEqualTo(lines(replies));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "delete k noreply~mn~      > MN~",
        "incr k 1 noreply~mn~      > MN~",
        "touch k 1 noreply~mn~     > MN~",
        "flush_all noreply~mn~     > MN~",
        "set k 0 0 1 noreply~x~mn~ > MN~",
        "delete k~mn~              > ERROR~MN~",
        "get noreply~mn~           > ERROR~MN~",
        "gets k noreply~mn~        > ERROR~MN~",
        "stats noreply~mn~         > ERROR~MN~",
      })
  void shouldNotAnswerCommandsOfARefusedDialect(String requests, String replies) {
    SocketlessWorld world = world("[]");
    world.says(world.second, lines(requests));
    world.settle();
    assertThat(world.heard(world.second)).isEqualTo(lines(replies));
    world.close();
  }

  /** From 1.6.40 on, noreply counts as the last token also if it is the only one. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "nonsense noreply~mn~  > MN~",
        "noreply~mn~           > MN~",
        "noreply x~mn~         > ERROR~MN~",
        "nonsense noreplyx~mn~ > ERROR~MN~",
      })
  void shouldNotAnswerUnknownCommands(String requests, String replies) {
    assertThat(firstHears(world("[]"), requests)).isEqualTo(lines(replies));
  }

  /** From 1.6.40 on, servers look for some commands by the first token, wherever that begins. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "flush_all noreply~mn~  > MN~",
        "flush_all~mn~          > CLIENT_ERROR flush_all not allowed~MN~",
        "verbosity 1~mn~        > CLIENT_ERROR verbosity not allowed~MN~",
        "slabs automove 1~mn~   > CLIENT_ERROR slabs not allowed~MN~",
        "get a:1~mn~            > ERROR~MN~",
        "delete a:1 noreply~mn~ > MN~",
        "version~mn~            > ERROR~MN~",
        "watch~mn~              > ERROR~MN~",
      })
  void shouldKnowCommandsBehindSpacesAsServersDo(String requests, String replies) {
    assertThat(firstHears(world("[]"), "  " + requests)).isEqualTo(lines(replies));
  }

  /** From 1.6.40 on, the end counts in the length that a line must have. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "ab^mn~  > CLIENT_ERROR bad command line format~MN~",
        "mn^mn~  > CLIENT_ERROR bad command line format~MN~",
        "a~mn~   > CLIENT_ERROR bad command line format~MN~",
        "~mn~    > CLIENT_ERROR bad command line format~MN~",
        "abc^mn~ > ERROR~MN~",
        "ab~mn~  > ERROR~MN~",
        "mn ^mn~ > MN~MN~",
      })
  void shouldRefuseShortLinesAsServersDo(String requests, String replies) {
    assertThat(firstHears(world("[]"), requests.replace("^", "\n"))).isEqualTo(lines(replies));
  }
}
