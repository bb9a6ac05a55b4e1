package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.testkit.scripted.ScriptedServer;

/** Servers that know today's meta commands, and repeat no opaque in a miss: before 1.6.18. */
class OldMetaServersTest {
  private static void answer(ScriptedServer.Request request) throws java.io.IOException {
    String opaque = request.line().replaceFirst(".*?( O\\d+)?$", "$1");
    if (request.line().startsWith("mg missing")) {
      request.reply("EN\r\n");
    } else if (request.line().startsWith("mg ")) {
      request.reply("VA 2 f0" + opaque + "\r\nhi\r\n");
    } else {
      ScriptedServer.behave(request);
    }
  }

  @Test
  void shouldTakeAMissWithoutAnOpaque() throws Exception {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer old = scenario.scripted(OldMetaServersTest::answer);
      old.version("1.6.14");
      scenario.gateway("{pool: main}", Scenario.pool("main", "dialect: meta", old.address()));
      RawClient client = scenario.client();
      for (int i = 0; i < 3; i++) {
        assertThat(client.ask("get missing\r\n")).isEqualTo("END");
        assertThat(client.ask("get there\r\n")).isEqualTo("VALUE there 0 2");
        assertThat(client.line()).isEqualTo("hi");
        assertThat(client.line()).isEqualTo("END");
      }
      assertThat(old.closedByPeer()).isZero();
    }
  }
}
