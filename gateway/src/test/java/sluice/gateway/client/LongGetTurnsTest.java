package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A get of more keys than are asked for at once leaves other clients their turns. */
class LongGetTurnsTest {
  private static final int KEYS = 5_000;
  private static final String YAML =
      """
      listeners: {l: {bind: 127.0.0.1:0, route: r}}
      routes: {r: [{match: {prefix: "b:"}, pool: b}, {pool: a}]}
      pools:
        a: {protocol: memcached, servers: ["127.0.0.1:1"]}
        b: {protocol: memcached, servers: ["127.0.0.1:2"]}
      """;

  private final SocketlessWorld world = new SocketlessWorld(YAML, "l", "l");

  @AfterEach
  void close() {
    world.close();
  }

  /** Netty runs tasks for up to a second, also those that were added meanwhile. */
  @Test
  void shouldGoOnAfterTheOtherSocketsAndNotInATask() {
    StringBuilder get = new StringBuilder("get");
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < KEYS; i++) {
      String key = "k" + i;
      get.append(' ').append(key);
      values.append("VALUE ").append(key).append(" 0 ").append(key.length()).append("\r\n");
      values.append(key).append("\r\n");
    }
    world.says(world.first, get.append("\r\n").toString());
    world.first.runPendingTasks();
    assertThat(world.a.server().owesReplies()).as("before the iteration's end").isFalse();

    world.says(world.second, "get b:other\r\n");
    world.settle();
    assertThat(world.heard(world.second)).isEqualTo("VALUE b:other 0 7\r\nb:other\r\nEND\r\n");
    assertThat(world.heard(world.first)).isEqualTo(values.append("END\r\n").toString());
  }
}
