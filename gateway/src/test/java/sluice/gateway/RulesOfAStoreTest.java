package sluice.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.model.Configuration;
import sluice.gateway.listen.StoreChannel;

/** The rules decide about every key of a line that an embedded store would carry out in part. */
class RulesOfAStoreTest {
  private static final Configuration CONFIGURATION =
      StoreChannel.parse(
          """
          listeners: {l: {bind: 127.0.0.1:0, route: r}}
          routes:
            r:
              - match: {commands: [set, get]}
                pool: p
              - match: {prefix: "mine:"}
                pool: p
              - reject: not yours
          pools: {p: {protocol: embedded, size: 16MiB}}
          """);

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "gat -1 k LONG",
        "gats -1 k LONG",
        "gat -1 k LONG mine:k",
        "gat -1 mine:k k LONG",
        "gat -1 mine:k mine:k LONG"
      })
  void shouldTouchNoKeyBeforeOneThatIsTooLong(String line) {
    String requests =
        "set k 0 0 1|x|set mine:k 0 0 1|y|" + line.replace("LONG", "l".repeat(251)) + "|get k|";
    assertThat(heard(requests + "get mine:k|"))
        .isEqualTo(
            "STORED|STORED|CLIENT_ERROR bad command line format||"
                + "VALUE k 0 1|x|END|VALUE mine:k 0 1|y|END|");
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"gat -1 k", "gat -1 mine:k k", "gat abc k", "touch k -1"})
  void shouldRejectOtherLinesWithSuchAKey(String line) {
    assertThat(heard("set k 0 0 1|x|" + line + "|get k|"))
        .matches(
            "STORED\\|(SERVER_ERROR not yours|CLIENT_ERROR invalid exptime argument)\\|"
                + "VALUE k 0 1\\|x\\|END\\|");
  }

  /** What a client hears that sends these lines; a bar stands for a line end. */
  private static String heard(String requests) {
    byte[] bytes = requests.replace("|", "\r\n").getBytes(US_ASCII);
    try (StoreChannel channel = new StoreChannel(CONFIGURATION)) {
      return channel.read(bytes, 0, bytes.length).heard().replace("\r\n", "|");
    }
  }
}
