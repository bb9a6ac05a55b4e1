package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients with few bytes, while the objects of requests take all of their part of the heap. */
class FullHeapOfRequestsTest {
  private static final String YAML =
      """
      listeners: {l: {bind: 127.0.0.1:0, route: r}}
      routes: {r: [{pool: a}]}
      pools:
        a: {protocol: memcached, servers: ["127.0.0.1:1"]}
        b: {protocol: memcached, servers: ["127.0.0.1:2"]}
      """;

  /** As many sweeps as a client waits at most if nothing changes. */
  private static final int SWEEPS = 20;

  private final SocketlessWorld world = new SocketlessWorld(YAML, "l", "l");

  @AfterEach
  void close() {
    world.close();
  }

  private static String found(String key) {
    return "VALUE " + key + " 0 " + key.length() + "\r\n" + key + "\r\nEND\r\n";
  }

  private String answerTo(String request) {
    world.says(world.first, request);
    world.settle();
    return world.heard(world.first);
  }

  private String answerAfter(int sweeps) {
    for (int i = 0; i < sweeps; i++) {
      world.clients.sweep();
    }
    world.settle();
    return world.heard(world.first);
  }

  @Test
  void shouldBeginNoRequestUntilOthersAreAnswered() {
    assertThat(answerTo("get k\r\n")).isEqualTo(found("k"));
    long all = world.memory.objectCeiling();
    world.memory.addObjects(all);
    assertThat(answerTo("get l\r\n")).isEmpty();
    assertThat(world.a.asked()).doesNotContain("get l");
    world.memory.addObjects(-all);
    assertThat(answerAfter(1)).isEqualTo(found("l"));
  }

  @Test
  void shouldGoOnInTurnsAlthoughNothingIsAnswered() {
    world.memory.addObjects(world.memory.objectCeiling());
    assertThat(answerTo("get k\r\n")).isEmpty();
    assertThat(answerAfter(SWEEPS)).isEqualTo(found("k"));
    assertThat(answerTo("get l\r\n")).isEmpty();
    assertThat(answerAfter(SWEEPS)).isEqualTo(found("l"));
  }

  /** However many bytes it has sent: the smallest requests of all take the most heap for them. */
  @Test
  void shouldNotGoOnWithManyRequestsThatWaitedForTheFirstOfThem() {
    int all = 6000;
    world.says(world.first, "get k\r\n".repeat(all));
    world.memory.addObjects(world.memory.objectCeiling());
    world.settle();
    int answered = ends(world.heard(world.first));
    assertThat(answered).isBetween(1, 1000);
    world.memory.addObjects(-world.memory.objectCeiling());
    for (int i = 0; i < SWEEPS && answered < all; i++) {
      answered += ends(answerAfter(1));
    }
    assertThat(answered).isEqualTo(all);
  }

  private static int ends(String replies) {
    return replies.split("END\r\n", -1).length - 1;
  }
}
