package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.server.health.ServerStatus;

/** Servers of a configuration that is prepared and not in use yet, beside those in use. */
class RefusedReloadTest {
  private static final String ROUTE = "{pool: main}";
  private static final String HERE = "main: servers: [\"here:1 name=a\"]";
  private static final String ELSEWHERE = "main: servers: [\"elsewhere:1 name=a\"]";

  private final ScriptedPools pools = new ScriptedPools(ROUTE, HERE);
  private final SocketlessServer here = pools.server("here");
  private final SocketlessServer elsewhere = pools.server("elsewhere");

  @AfterEach
  void close() {
    pools.close();
  }

  private ServerStatus status() {
    return pools.status("main", "a");
  }

  /** The server in use has the same name, and so the same status. */
  @Test
  void shouldReportNothingOfAnAddressThatIsNotInUse() {
    elsewhere.goesDown();
    pools.refuse(ROUTE, ELSEWHERE);
    assertThat(status().why()).isEqualTo("connected");
    assertThat(status().isUsable()).isTrue();
  }

  @Test
  void shouldNotConnectForAConfigurationThatIsNotInUse() {
    int before = here.connections();
    assertThat(before).isPositive();
    pools.refuse(ROUTE, HERE + ", queueTimeout: 400ms");
    assertThat(here.connections()).isEqualTo(before);
    pools.refuse(ROUTE, ELSEWHERE);
    assertThat(elsewhere.connections()).isZero();
  }

  /** As after connections.idle, or while it is down: a refused file is tried again every 10 s. */
  @Test
  void shouldNotConnectAgainToTheServerInUse() {
    here.closesConnections();
    pools.run();
    assertThat(here.connections()).isZero();
    pools.refuse(ROUTE, HERE + ", queueTimeout: 400ms");
    assertThat(here.connections()).isZero();
  }

  @Test
  void shouldConnectOnceTheConfigurationIsInUse() {
    elsewhere.goesDown();
    pools.reload(ROUTE, ELSEWHERE);
    assertThat(status().isUsable()).isFalse();
    elsewhere.comesBack();
    pools.pass(1100); // probeAfter
    assertThat(elsewhere.connections()).isPositive();
    assertThat(status().isUsable()).isTrue();
  }

  /** Its listener is open before the configuration is in use. */
  @Test
  void shouldReportAConnectionThatAnEarlyClientNeeded() {
    String other = "main: servers: [\"elsewhere:1 name=b\"]";
    SocketlessClient early = pools.clientOfNewListener(ROUTE, other);
    early.sends("get k\r\n");
    assertThat(elsewhere.asked()).isEqualTo("get k\r\n");
    elsewhere.answers("END\r\n");
    assertThat(early.told()).isEqualTo("END\r\n");
    assertThat(pools.status("main", "b").isTried()).isFalse();
    pools.reload(ROUTE, other);
    assertThat(pools.status("main", "b").isTried()).isTrue();
    assertThat(pools.status("main", "b").isUsable()).isTrue();
  }
}
