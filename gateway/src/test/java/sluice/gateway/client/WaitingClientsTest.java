package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server connection that is full for a while, and two clients that use it. */
class WaitingClientsTest {
  private static final String YAML =
      """
      listeners:
        one: {bind: "127.0.0.1:0", route: r, protocol: memcached}
      routes: {r: [{match: {prefix: "b:"}, pool: b}, {pool: a}]}
      pools:
        a: {protocol: memcached, servers: ["127.0.0.1:1"]}
        b: {protocol: memcached, servers: ["127.0.0.1:1"]}
      """;

  private final SocketlessWorld world = new SocketlessWorld(YAML, "one", "one");

  @AfterEach
  void shouldHoldNothing() {
    world.close();
    assertThat(world.memory.total()).as("bytes counted as buffered").isZero();
    assertThat(world.allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
  }

  /** With io_uring, busy clients filled the connection again whenever it took bytes. */
  @Test
  void shouldNotOvertakeARequestThatWaits() {
    world.a.accepts(false);
    world.says(world.first, "get waits\r\n");
    world.settle();
    world.a.accepts(true); // the first client is told in a later task
    world.says(world.second, "get comes-late\r\nget comes-later\r\n");
    world.settle();
    assertThat(world.a.asked()).endsWith("get waits comes-late comes-later\r\n");
    assertThat(world.heard(world.first)).isEqualTo("VALUE waits 0 5\r\nwaits\r\nEND\r\n");
    assertThat(world.heard(world.second)).contains("\r\ncomes-late\r\n", "\r\ncomes-later\r\n");
  }

  @Test
  void shouldServeRequestsThatWaitInTheirOrder() {
    world.a.accepts(false);
    world.says(world.first, "get waits\r\n");
    world.says(world.second, "get waits-too\r\n");
    world.settle();
    assertThat(world.heard(world.second)).isEmpty();
    world.a.accepts(true);
    world.settle();
    assertThat(world.a.asked()).endsWith("get waits waits-too\r\n");
    assertThat(world.heard(world.second)).isEqualTo("VALUE waits-too 0 9\r\nwaits-too\r\nEND\r\n");
  }

  /** A get of more keys than are asked for at once goes on in steps, each of which may wait. */
  @Test
  void shouldServeTheStepsOfALongGetInTheirOrder() {
    StringBuilder get = new StringBuilder("get");
    for (int i = 0; i < 5_000; i++) {
      get.append(" k").append(i);
    }
    world.a.accepts(false);
    world.says(world.first, get.append("\r\n").toString());
    world.settle();
    world.says(world.second, "get waits-too\r\n");
    world.settle();
    assertThat(world.heard(world.second)).isEmpty();
    world.a.accepts(true);
    world.settle();
    String asked = world.a.asked();
    assertThat(asked).containsSubsequence("get k0 k1 ", "get waits-too\r\n", " k4999\r\n");
    assertThat(world.heard(world.second)).isEqualTo("VALUE waits-too 0 9\r\nwaits-too\r\nEND\r\n");
    assertThat(world.heard(world.first)).endsWith("VALUE k4999 0 5\r\nk4999\r\nEND\r\n");
  }

  /** Otherwise it goes from one to the other as long as both are full again and again. */
  @Test
  void shouldNotSendARequestForSeveralServersBehindOthersAtEachOfThem() {
    world.a.accepts(false);
    world.b.accepts(false);
    world.says(world.first, "get waits b:waits\r\n");
    world.says(world.second, "get b:waits-too\r\n");
    world.settle();
    world.a.accepts(true);
    world.b.accepts(true); // both tell the clients in later tasks
    world.settle();
    assertThat(world.b.asked()).endsWith("\r\nget b:waits\r\nget b:waits-too\r\n");
    assertThat(world.heard(world.first))
        .isEqualTo("VALUE waits 0 5\r\nwaits\r\nVALUE b:waits 0 7\r\nb:waits\r\nEND\r\n");
    assertThat(world.heard(world.second))
        .isEqualTo("VALUE b:waits-too 0 11\r\nb:waits-too\r\nEND\r\n");
  }

  /** Otherwise a client with many requests fills the connection again each time. */
  @Test
  void shouldServeRequestsThatHaveWaitedForLongestFirst() {
    world.a.accepts(false);
    world.says(world.first, set("first"));
    world.says(world.first, set("next"));
    world.says(world.second, set("waits"));
    world.settle();
    acceptsOne();
    assertThat(world.a.asked()).endsWith(set("first"));
    acceptsOne();
    assertThat(world.a.asked()).endsWith(set("first") + set("waits"));
    acceptsOne();
    assertThat(world.a.asked()).endsWith(set("first") + set("waits") + set("next"));
    assertThat(world.heard(world.first)).isEqualTo("STORED\r\nSTORED\r\n");
    assertThat(world.heard(world.second)).isEqualTo("STORED\r\n");
  }

  /** A request that is long enough to be written at once. */
  private static String set(String key) {
    String value = key.repeat(1000);
    return "set %s 0 0 %d\r\n%s\r\n".formatted(key, value.length(), value);
  }

  /** The connection is ready for bytes until the first of them are written. */
  private void acceptsOne() {
    world.a.interrupt(() -> world.a.accepts(false));
    world.a.accepts(true);
    world.settle();
    assertThat(world.a.isUninterrupted()).isFalse();
  }
}
