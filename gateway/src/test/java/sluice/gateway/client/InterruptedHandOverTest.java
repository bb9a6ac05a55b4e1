package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * In the middle of one client's hand-over, when its first bytes are written, another client's
 * requests are read and sent to the same connections: neither gets a byte of the other's.
 */
class InterruptedHandOverTest {
  private static final String YAML =
      """
      listeners: {l: {bind: 127.0.0.1:0, route: r}}
      routes:
        r:
        - {match: {prefix: "copy:"}, replicate: {pools: [a, b], acks: all}}
        - {match: {prefix: "short:"}, pool: a, key: {strip: "short:", add: "long-name:"}}
        - {match: {prefix: "b:"}, pool: b}
        - {pool: a}
      pools:
        a: {protocol: memcached, servers: ["127.0.0.1:1"]}
        b: {protocol: memcached, servers: ["127.0.0.1:2"]}
      """;

  /** Requests of each kind, and their replies, where the value of each key is the key. */
  private static final String OTHERS =
      "get a:8|get b:8|mg a:8 v k Oother|mg copy:8 v k Oother|ms copy:9 6 Oother2~copy:9"
          + "|get b:7 a:7 b:6|delete copy:7 noreply|mg short:1 k Oshort|set b:5 0 0 3~b:5|get a:8";

  private static String replyTo(String request) {
    String[] words = request.split("~")[0].split(" +");
    StringBuilder reply = new StringBuilder();
    switch (words[0]) {
      case "get" -> {
        for (int i = 1; i < words.length; i++) {
          reply.append(
              "VALUE %s 0 %d\r\n%s\r\n"
                  .formatted(words[i], name(words[i]).length(), name(words[i])));
        }
        reply.append("END\r\n");
      }
      case "set" -> reply.append("STORED\r\n");
      case "delete" -> reply.append(words.length > 2 ? "" : "DELETED\r\n");
      case "incr" -> reply.append(words[2]).append("\r\n");
      default -> {
        boolean value = List.of(words).contains("v");
        reply.append(words[0].equals("mg") && value ? "VA " + name(words[1]).length() : "HD");
        for (int i = 2; i < words.length; i++) {
          if (words[i].charAt(0) == 'O') {
            reply.append(' ').append(words[i]);
          } else if (words[i].equals("k")) {
            reply.append(" k").append(words[1]);
          }
        }
        reply.append("\r\n").append(value ? name(words[1]) + "\r\n" : "");
      }
    }
    return reply.toString();
  }

  /** The key as its server knows it. */
  private static String name(String key) {
    return key.startsWith("short:") ? "long-name:" + key.substring("short:".length()) : key;
  }

  private static String bytes(String requests) {
    return requests.replace("~", "\r\n").replace("|", "\r\n") + "\r\n";
  }

  private static String replies(String requests) {
    StringBuilder all = new StringBuilder();
    for (String request : requests.split("\\|")) {
      all.append(replyTo(request));
    }
    return all.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "get a:1|get a:2|get b:1|get a:3", // forwarded, in batches
    "get a:1 b:1 a:2 b:2|get b:3", // split
    "get short:1|get short:2|get b:1", // renamed
    "get a:1|mg copy:1 v k Oclient|get a:2", // to several, in canonical form
    "delete copy:1|get b:1|get a:1",
    "get a:1|ms copy:1 6 k Oclient~copy:1|mg copy:1 v Oclient2",
    "mg a:1 v k Oclient|mg b:1 v k Oclient2|mg a:2 v k Oclient3", // opaques replaced
    "set a:1 0 0 3~a:1|set b:1 0 0 3~b:1|get b:1",
    "incr a:1 5|get  b:1|delete a:1 noreply|get a:4", // written anew
    "mg short:1 v k Oclient|get b:1|mg a:2 v",
  })
  void shouldHarmNobody(String requests) {
    SocketlessWorld world = new SocketlessWorld(YAML, "l", "l");
    try {
      world.a.interrupt(() -> world.says(world.second, bytes(OTHERS)));
      world.says(world.first, bytes(requests));
      world.settle();
      assertThat(world.a.isUninterrupted()).isFalse();
      assertThat(world.heard(world.first)).isEqualTo(replies(requests));
      assertThat(world.heard(world.second)).isEqualTo(replies(OTHERS));
    } finally {
      world.close();
    }
    assertThat(world.memory.total()).isZero();
    assertThat(world.allocator.metric().usedDirectMemory()).isZero();
  }
}
