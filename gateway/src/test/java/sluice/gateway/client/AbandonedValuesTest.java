package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that leave while a value that they send waits for its memory. */
class AbandonedValuesTest {
  private static final String YAML =
      """
      listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
      routes: {cache: [{match: {prefix: "copy:"}, replicate: {pools: [a, b], acks: all}}, {pool: a}]}
      pools:
        a: {protocol: memcached, servers: ["127.0.0.1:1"]}
        b: {protocol: memcached, servers: ["127.0.0.1:2"]}
      """;

  private static final long HELD = 60L << 20;

  private final SocketlessWorld world = new SocketlessWorld(YAML, "cache", "cache");
  private final long atFirst = left();

  /** The most bytes that can be reserved beside others. */
  private long left() {
    assertThat(world.memory.reserve(1)).isTrue();
    long most = 0;
    for (long step = 1L << 30; step > 0; step >>= 1) {
      if (world.memory.reserve(most + step)) {
        world.memory.unreserve(most + step);
        world.memory.counted(most + step);
        most += step;
      }
    }
    world.memory.unreserve(1);
    world.memory.counted(1);
    return most;
  }

  /** Another holder has most of the memory. */
  private void hold() {
    assertThat(world.memory.reserve(HELD)).isTrue();
  }

  private void release() {
    world.memory.unreserve(HELD);
    world.memory.counted(HELD);
    world.clients.sweep();
    world.settle();
  }

  private static String set(int number, int length) {
    String key = "copy:" + number;
    String value = key.repeat(length / key.length() + 1).substring(0, length);
    return "set " + key + " 0 0 " + length + "\r\n" + value + "\r\n";
  }

  /** The second client sends requests; the line of the first one arrives before its value. */
  private void send(String requests) {
    int line = requests.indexOf('\n') + 1;
    world.says(world.second, requests.substring(0, line));
    world.says(world.second, requests.substring(line));
    world.settle();
  }

  @AfterEach
  void close() {
    world.close();
    assertThat(world.memory.total()).isZero();
    assertThat(
            world
                .clients
                .loopState()
                .closedClientInput()
                .hasMemoryFor(world.memory.evenShare() / 4))
        .as("nothing counts as sent by clients that are gone")
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource({"60000, 40000", "2000, 60000"})
  void shouldReserveTheMemoryOfEachValueOnceForAClientThatLeaves(int one, int other) {
    hold();
    send(set(1, one) + set(2, other) + set(3, one) + "set copy:4 0 0 9\r\nv");
    world.second.close();
    world.settle();
    release();
    assertThat(left()).isEqualTo(atFirst);
    assertThat(world.memory.total()).isZero();
  }

  @Test
  void shouldCarryOutTheWritesOfAClientThatLeaves() {
    hold();
    send(
        set(1, 60_000)
            + set(3, 70_000)
            + set(4, 20)
            + "set copy:2 0 0 100000\r\n"
            + "v".repeat(99_999));
    assertThat(world.a.asked()).doesNotContain("copy:1");
    world.second.close();
    world.settle();
    for (SocketlessServer server : List.of(world.a, world.b)) {
      assertThat(server.asked())
          .contains("set copy:1 ", "set copy:3 ", "set copy:4 ")
          .doesNotContain("copy:2");
    }
    release();
    assertThat(left()).isEqualTo(atFirst);
  }

  @Test
  void shouldGoOnWhenThereIsMemoryForAClientThatStays() {
    hold();
    send(set(1, 60_000) + "mn\r\n");
    assertThat(world.heard(world.second)).isEmpty();
    release();
    assertThat(world.heard(world.second)).isEqualTo("STORED\r\nMN\r\n");
    assertThat(left()).isEqualTo(atFirst);
  }
}
