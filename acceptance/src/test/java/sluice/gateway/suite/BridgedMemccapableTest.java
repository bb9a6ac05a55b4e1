package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.Programs;
import sluice.gateway.fixtures.RealMemcached;

/**
 * libmemcached's own test of one protocol, through the gateway, on a server that speaks only the
 * other.
 */
class BridgedMemccapableTest {
  private static final Pattern RESULT =
      Pattern.compile("^(?:ascii|binary) (.+?)\\s+\\[(?:(\\w+)\\])?", Pattern.MULTILINE);
  private static final int OF_EACH_PROTOCOL = 27;

  /** These look for the cas of what they store, first of all, or begin a counter. */
  private static final List<String> NOT_IN_CLASSIC_TEXT =
      List.of(
          "add",
          "append",
          "appendq",
          "decr",
          "decrq",
          "delete",
          "deleteq",
          "flush",
          "flushq",
          "get",
          "getk",
          "getkq",
          "getq",
          "incr",
          "incrq",
          "prepend",
          "prependq",
          "replace",
          "replaceq",
          "set",
          "setq");

  @Test
  void shouldBeCapableOfAllOfBinaryOnServersThatOnlySpeakMeta() throws Exception {
    assertThat(failed("-b", "meta", "ascii")).isEmpty();
  }

  @Test
  void shouldBeCapableOfWhatClassicTextHasWordsForOfBinary() throws Exception {
    assertThat(failed("-b", "text", "ascii")).isEqualTo(NOT_IN_CLASSIC_TEXT);
  }

  @Test
  void shouldBeCapableOfAllOfTextOnServersThatOnlySpeakBinary() throws Exception {
    assertThat(failed("-a", "binary", "binary")).isEmpty();
  }

  @Test
  void shouldBeCapableOfAllOfTextOnServersThatAreSpokenToInMeta() throws Exception {
    assertThat(failed("-a", "meta", "ascii")).isEmpty();
  }

  /** The tests that were not passed, of all that the program has for a protocol. */
  private static List<String> failed(String protocol, String dialect, String servers)
      throws Exception {
    String program = Programs.find("memccapable");
    try (RealMemcached server = RealMemcached.start("-B", servers);
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().servers("cache", dialect, server).yaml());
      var address = gateway.address("cache");
      List<String> command =
          List.of(
              program,
              "-h",
              address.getAddress().getHostAddress(),
              "-p",
              String.valueOf(address.getPort()),
              "-t",
              "5",
              protocol);
      Programs.Result result = Programs.run(Duration.ofMinutes(2), command);
      TreeMap<String, Boolean> passed = new TreeMap<>();
      for (MatchResult each : RESULT.matcher(result.output()).results().toList()) {
        passed.put(each.group(1), "pass".equals(each.group(2)));
      }
      assertThat(passed).as(result.output()).hasSize(OF_EACH_PROTOCOL);
      List<String> failed = new ArrayList<>();
      passed.forEach(
          (name, pass) -> {
            if (!pass) {
              failed.add(name);
            }
          });
      return failed;
    }
  }
}
