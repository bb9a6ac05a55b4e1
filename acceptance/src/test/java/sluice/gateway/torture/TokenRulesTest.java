package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.scripted.ScriptedServer;

/** Rules that ask for a token of meta requests, and leave it out on the way. */
class TokenRulesTest extends ClosingTest {
  private static final String RULES =
      "{match: {token: Pblue}, pool: a, stripToken: true},"
          + " {match: {token: Lnear, prefix: k}, pool: a}, {pool: b}";

  private RunningGateway start(String rules, String more, InetSocketAddress... pools) {
    String each = ", timeout: 5s" + more;
    return closing(RunningGateway.routed(1, rules, RunningGateway.pools(each, pools)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ", dialect: meta", ", dialect: binary", ", compression: {above: 64B}"})
  void shouldLeadRequestsWhereTheirTokensSay(String more) throws Exception {
    RealMemcached blue = closing(RealMemcached.start());
    RealMemcached other = closing(RealMemcached.start());
    RawClient client =
        closing(new RawClient(start(RULES, more, blue.address(), other.address()).address()));
    String large = "v".repeat(200_000);
    client.send(
        "ms k 1 Pblue\r\n1\r\nms k 1\r\n2\r\nms k 1 Lnear F5\r\n3\r\nms x 1 Lnear\r\n4\r\n");
    for (int i = 0; i < 4; i++) {
      assertThat(client.line()).isEqualTo("HD");
    }
    assertThat(client.ask("ms large 200000 q Pblue O7\r\n" + large + "\r\nmn\r\n")).isEqualTo("MN");
    assertThat(client.ask("mg k v f Pblue Oabc k\r\n")).isEqualTo("VA 1 f5 Oabc kk");
    assertThat(client.line()).isEqualTo("3");
    assertThat(client.ask("mg k v Pblues\r\n")).isEqualTo("VA 1");
    assertThat(client.line()).isEqualTo("2");
    assertThat(client.ask("mg a3k= b v Lnear\r\n")).startsWith("EN");
    assertThat(client.ask("mg bGFyZ2U= b f Pblue\r\n")).isEqualTo("HD f0");
    assertThat(client.ask("mg x s\r\n")).isEqualTo("HD s1");
    assertThat(client.ask("get k\r\n")).isEqualTo("VALUE k 0 1");
    assertThat(client.line()).isEqualTo("2");
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.ask("md k Pblue Pblue\r\n")).startsWith("CLIENT_ERROR ");
    assertThat(client.ask("md k Pblue\r\n")).isEqualTo("HD");
    assertThat(client.ask("mg k Lnear\r\n")).isEqualTo("EN");
    assertThat(client.ask("mg k v\r\n")).isEqualTo("VA 1");
    assertThat(client.line()).isEqualTo("2");
  }

  @Test
  void shouldLeaveOutTheTokenThatWasAskedForAndNothingElse() throws Exception {
    // Of this version servers are not sent the gateway's own opaques.
    ScriptedServer a = closing(new ScriptedServer(r -> r.reply("EN\r\n")).version("1.6.17"));
    ScriptedServer b = closing(new ScriptedServer(r -> r.reply("EN\r\n")).version("1.6.17"));
    RawClient client = closing(new RawClient(start(RULES, "", a.address(), b.address()).address()));
    client.send(
        "mg k v Pblue t\r\nmg Pblue v\r\nmg k Lnear Pblue\r\nmg k Lnear v\r\nmg j Lnear\r\nmn\r\n");
    for (int i = 0; i < 5; i++) {
      assertThat(client.line()).isEqualTo("EN");
    }
    assertThat(client.line()).isEqualTo("MN");
    assertThat(a.lines()).containsExactly("mg k v t", "mg k Lnear", "mg k Lnear v");
    assertThat(b.lines()).containsExactly("mg Pblue v", "mg j Lnear");
  }

  @Test
  void shouldFindTheTokenWhereverTheLineIsCut() throws Exception {
    RealMemcached blue = closing(RealMemcached.start());
    RealMemcached other = closing(RealMemcached.start());
    RunningGateway gateway = start(RULES, "", blue.address(), other.address());
    String requests = "ms k 2 Pblue\r\nxy\r\nmg k v Pblue\r\nmg k v\r\n";
    for (int cut = 1; cut < requests.length(); cut++) {
      try (RawClient client = new RawClient(gateway.address())) {
        client.send(requests.substring(0, cut));
        Thread.sleep(2);
        client.send(requests.substring(cut));
        assertThat(new String(client.read(18), ISO_8859_1)).isEqualTo("HD\r\nVA 2\r\nxy\r\nEN\r\n");
      }
    }
  }

  @Test
  void shouldExplainTheWayOfAToken() throws Exception {
    InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    RunningGateway gateway = start(RULES, "", nobody, nobody);
    String plain = gateway.admin("/explain?listener=cache&command=mg&key=k");
    String blue = gateway.admin("/explain?listener=cache&command=mg&key=k&token=Pblue");
    assertThat(plain).contains("\"pool\" : \"b\"", "rule 0 does not match: token Pblue");
    assertThat(blue).contains("\"pool\" : \"a\"", "token Pblue is removed");
  }
}
