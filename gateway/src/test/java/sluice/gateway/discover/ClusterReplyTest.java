package sluice.gateway.discover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.model.Address;
import sluice.config.model.ServerConfig;

class ClusterReplyTest {
  private static final String NODES =
      "12\n"
          + "mycluster.0001.cache.amazonaws.com|10.82.235.120|11211"
          + " Mycluster.0002.cache.amazonaws.com||11212"
          + " 10.0.0.7|10.0.0.7|11211"
          + " [2001:db8::7]|2001:db8::7|11211\n";

  private static String reply(String body) {
    return "CONFIG cluster 0 " + body.length() + "\r\n" + body + "\r\nEND\r\n";
  }

  private static ServerConfig server(String ip, String host, int port) {
    return new ServerConfig(
        new Address.Tcp(ip, port), 1, new Address.Tcp(host, port).label(), Optional.of(host));
  }

  @Test
  void shouldReadTheNodesWhereverTheReplyIsCut() throws Exception {
    String reply = reply(NODES.replace("[2001:db8::7]", "2001:db8::7"));
    for (int cut = 0; cut < reply.length(); cut++) {
      assertThat(ClusterReply.read(reply.substring(0, cut))).as("cut at " + cut).isEmpty();
    }
    assertThat(ClusterReply.read(reply).orElseThrow())
        .containsExactly(
            server("10.82.235.120", "mycluster.0001.cache.amazonaws.com", 11_211),
            server(
                "mycluster.0002.cache.amazonaws.com", "mycluster.0002.cache.amazonaws.com", 11_212),
            server("10.0.0.7", "10.0.0.7", 11_211),
            server("2001:db8::7", "2001:db8::7", 11_211));
  }

  @Test
  void shouldTakeEachNodeOnceAndNoneForNone() throws Exception {
    assertThat(ClusterReply.read(reply("1\na||1 a|10.0.0.1|1 b||1\n")).orElseThrow())
        .extracting(ServerConfig::identity)
        .containsExactly("a:1", "b:1");
    assertThat(ClusterReply.read(reply("1\n\n")).orElseThrow()).isEmpty();
  }

  /** Such a reply is refused: there is no need to read it to its end. */
  @Test
  void shouldReadNoMoreNodesThanShowThatThereAreTooMany() throws Exception {
    String nodes =
        IntStream.range(0, 100_000)
            .mapToObj(i -> "n" + Integer.toString(i, Character.MAX_RADIX) + "||1")
            .collect(Collectors.joining(" "));
    String reply = reply("1\n" + nodes + "\n");
    assertThat(reply.length()).isLessThan(ClusterReply.MAX_BYTES);
    assertThat(ClusterReply.read(reply).orElseThrow()).hasSize(Source.MOST_SERVERS + 1);
    String repeated = "a||1 ".repeat(Source.MOST_SERVERS) + "b||1";
    assertThat(ClusterReply.read(reply("1\n" + repeated + "\n")).orElseThrow()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "ERROR\\r\\n; \"ERROR\" instead of the nodes: not a configuration endpoint",
        "CONFIG cluster 0 x\\r"
            + "\\n"
            + "; \"CONFIG cluster 0 x\" instead of the nodes: not a configuration endpoint",
        "CONFIG cluster 0 99999999\\r"
            + "\\n"
            + "; \"CONFIG cluster 0 99999999\" instead of the nodes: not a configuration endpoint",
        "CONFIG cluster 0 9999999\\r\\n; an answer of 9999999 bytes, expected at most 1048576",
        "CONFIG cluster 0 4\\r"
            + "\\n"
            + "1\\n"
            + "a|\\r"
            + "\\n"
            + "END\\r"
            + "\\n"
            + "; \"a|\" instead of the nodes: not a configuration endpoint",
        "CONFIG cluster 0 5\\r"
            + "\\n"
            + "1\\n"
            + "a|b|1\\n"
            + "xxx\\r"
            + "\\n"
            + "END\\r"
            + "\\n"
            + "; an answer whose length is wrong",
        "CONFIG cluster 0 1\\r\\n1\\r\\nEND\\r\\n; an answer without a line of nodes",
        "CONFIG cluster 0 7\\r"
            + "\\n"
            + "1\\n"
            + "a|b|1\\r"
            + "\\n"
            + "END\\r"
            + "\\n"
            + "; \"a|b|1\" instead of the nodes: not a configuration endpoint",
        "CONFIG cluster 0 6\\r"
            + "\\n"
            + "1\\n"
            + "a||0\\r"
            + "\\n"
            + "END\\r"
            + "\\n"
            + "; \"a||0\" instead of the nodes: not a configuration endpoint",
        "CONFIG cluster 0 8\\r"
            + "\\n"
            + "1\\n"
            + "a b||1\\r"
            + "\\n"
            + "END\\r"
            + "\\n"
            + "; \"a\" instead of the nodes: not a configuration endpoint",
      })
  void shouldSayWhatIsWrongWithAnAnswer(String escaped, String message) {
    assertThatThrownBy(() -> ClusterReply.read(escaped.translateEscapes()))
        .isInstanceOf(DiscoveryException.class)
        .hasMessage(message);
  }

  @Test
  void shouldNotWaitForTheEndOfALineThatHasNone() {
    assertThatThrownBy(() -> ClusterReply.read("\u0000x".repeat(100)))
        .isInstanceOf(DiscoveryException.class)
        .hasMessageStartingWith("\"?x?x");
  }
}
