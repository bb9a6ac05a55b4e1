package sluice.gateway.server.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.server.health.ServerStatus;

/** Which event loops have connections to a server, and whose sharers the others are. */
class SharedServerTest {

  @ParameterizedTest
  @CsvSource({"1, 1", "1, 4", "2, 4", "3, 4", "4, 4", "5, 4", "11, 4", "1024, 3", "2, 7"})
  void shouldHaveAsManyConnectionsAsAllowedInAll(int max, int loops) {
    for (int first = 0; first < loops; first++) {
      SharedServer server = new SharedServer(new HashMap<>(), "key", first, max, loops);
      int[] users = new int[loops];
      int connections = 0;
      for (int loop = 0; loop < loops; loop++) {
        connections += server.connectionsOf(loop);
        int owner = server.ownerOf(loop);
        assertThat(server.connectionsOf(owner)).isPositive();
        assertThat(owner == loop).isEqualTo(server.connectionsOf(loop) > 0);
        users[owner]++;
      }
      assertThat(connections).isEqualTo(max);
      assertThat(server.connectionsOf(server.exclusiveOwner())).isPositive();
      for (int loop = 0; loop < loops; loop++) {
        if (users[loop] > 0) {
          assertThat(users[loop]).isBetween(loops / max, loops / max + 1);
        }
      }
    }
  }

  @Test
  void shouldGiveEachLoopServersToLookAfter() {
    SharedServers servers = new SharedServers(4);
    Set<Integer> owners = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      owners.add(servers.join("server" + i, new ServerStatus("p", "s" + i, i), 1).ownerOf(0));
    }
    assertThat(owners).containsExactlyInAnyOrder(0, 1, 2, 3);
  }

  @Test
  void shouldLeaveTheLoopsThatOthersNeedToTheLast() {
    SharedServer server =
        new SharedServer(new HashMap<>(), "key", 1, 2, 4); // owners 1 and 2, sharers 3 and 0
    assertThat(server.isLeftTo(3)).isTrue();
    assertThat(server.isLeftTo(0)).isTrue();
    assertThat(server.isLeftTo(2)).isFalse();
    server.left(3);
    assertThat(server.isLeftTo(2)).isFalse();
    server.left(0);
    assertThat(server.isLeftTo(2)).isTrue();
    assertThat(server.isLeftTo(1)).isFalse();
    server.left(2);
    assertThat(server.isLeftTo(1)).isTrue();
  }
}
