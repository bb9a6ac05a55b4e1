package sluice.gateway.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.config.model.Credentials;

/**
 * The clients of an event loop share what handles their packets. While one client's request waits
 * for a server, another client's requests are answered: each gets its own replies.
 */
class InterleavedPacketsTest {
  private static final String YAML =
      """
      listeners:
        binary: {bind: 127.0.0.1:0, route: binary, limits: {itemSize: 1KiB}}
        ignite: {bind: 127.0.0.1:0, protocol: ignite, route: ignite, limits: {itemSize: 1KiB},
          allow: [flush_all]}
        storeless: {bind: 127.0.0.1:0, route: ignite}
      routes:
        binary:
        - {match: {prefix: "no:"}, reject: "not here"}
        - {match: {prefix: "short:"}, pool: a, key: {strip: "short:", add: "long-name:"}}
        - {match: {prefix: "s:"}, pool: b, key: {strip: "s:", add: "longer:"}}
        - {match: {prefix: "b:"}, pool: b}
        - {match: {prefix: "e:"}, pool: e}
        - {match: {prefix: "r:"}, pool: e, key: {strip: "r:", add: "renamed:"}}
        - {pool: a}
        ignite:
        - {match: {prefix: "no:"}, reject: "not here"}
        - {match: {prefix: "short:"}, pool: a, key: {strip: "short:", add: "long-name:"}}
        - {match: {prefix: "s:"}, pool: b, key: {strip: "s:", add: "longer:"}}
        - {match: {prefix: "b:"}, pool: b}
        - {pool: a}
      pools:
        a: {protocol: memcached, dialect: %1$s, servers: ["127.0.0.1:1"]}
        b: {protocol: memcached, dialect: %1$s, servers: ["127.0.0.1:2"]}
        e: {protocol: embedded, size: 2MiB}
      """;

  /** Requests that need nothing of server a. The last one closes the connection. */
  private static final String OTHERS =
      "noop|get b:1|set b:22|delete b:1|get s:5|set s:6|get no:1|set no:2|large b:3|large no:4"
          + "|get b:4|noop|quit";

  /** The same for clients that do not speak Ignite's dialect, and may use the store. */
  private static final String MORE_OTHERS =
      "set e:1|get e:1|set r:2|get r:2|large e:3|list|unknown|verbosity|" + OTHERS;

  private static final Credentials ALICE = new Credentials("alice", "secret");

  // --- packets ------------------------------------------------------------------------------

  /** The key as its server knows it. */
  private static String name(String key) {
    return key.replaceFirst("^short:", "long-name:")
        .replaceFirst("^s:", "longer:")
        .replaceFirst("^r:", "renamed:");
  }

  private static byte[] packets(String requests, int opaque) {
    ByteBuf all = Unpooled.buffer();
    int next = opaque;
    for (String request : requests.split("\\|")) {
      String[] words = request.split(" ");
      String key = words.length > 1 ? words[1] : "";
      switch (words[0]) {
        case "get" -> packet(all, Opcode.GET, 0, key, "", next);
        case "set" -> packet(all, Opcode.SET, 8, key, name(key), next);
        case "large" -> packet(all, Opcode.SET, 8, key, "x".repeat(2 << 10), next);
        case "delete" -> packet(all, Opcode.DELETE, 0, key, "", next);
        case "noop" -> packet(all, Opcode.NOOP, 0, "", "", next);
        case "version" -> packet(all, Opcode.VERSION, 0, "", "", next);
        case "verbosity" -> packet(all, Opcode.VERBOSITY, 4, "", "", next);
        case "list" -> packet(all, Opcode.SASL_LIST, 0, "", "", next);
        case "unknown" -> packet(all, 0x7f, 0, "", "", next);
        case "quit" -> packet(all, Opcode.QUIT, 0, "", "", next);
        default -> throw new AssertionError(request);
      }
      next++;
    }
    byte[] bytes = new byte[all.readableBytes()];
    all.readBytes(bytes);
    return bytes;
  }

  private static void packet(
      ByteBuf out, int opcode, int extras, String key, String value, int opaque) {
    out.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(opcode).writeShort(key.length());
    out.writeByte(extras).writeZero(3).writeInt(extras + key.length() + value.length());
    out.writeInt(opaque).writeLong(0).writeZero(extras);
    out.writeCharSequence(key + value, ISO_8859_1);
  }

  /** The replies to requests: the opaque of each, and its value or whether it is an error. */
  private static List<String> replies(String requests, int opaque, boolean ignite) {
    List<String> all = new ArrayList<>();
    int next = opaque;
    for (String request : requests.split("\\|")) {
      String[] words = request.split(" ");
      boolean refused = words.length > 1 && words[1].startsWith("no:");
      String reply =
          switch (words[0]) {
            case "get" -> refused ? "error" : "ok " + name(words[1]);
            case "set", "delete" -> refused ? "error" : "ok ";
            case "noop", "quit" -> "ok ";
            case "version" -> "ok 1.6.45";
            default -> "error";
          };
      if (!ignite || !words[0].equals("quit")) {
        all.add(next + " " + reply);
      }
      next++;
    }
    return all;
  }

  /** What the replies of a gateway say, in the form of {@link #replies}. */
  private static List<String> read(String heard) {
    List<String> all = new ArrayList<>();
    ByteBuf in = Unpooled.copiedBuffer(heard, ISO_8859_1);
    while (in.isReadable()) {
      int at = in.readerIndex();
      assertThat(BinaryHeader.magic(in, at)).isEqualTo(BinaryHeader.RESPONSE_MAGIC);
      int before = BinaryHeader.LENGTH + BinaryHeader.extrasLength(in, at);
      in.skipBytes(before);
      int value = (int) BinaryHeader.bodyLength(in, at) + BinaryHeader.LENGTH - before;
      String text = in.readSlice(value).toString(ISO_8859_1);
      String said = BinaryHeader.status(in, at) == Opcode.STATUS_OK ? "ok " + text : "error";
      all.add(BinaryHeader.opaque(in, at) + " " + said);
    }
    return all;
  }

  // --- clients and servers --------------------------------------------------------------------

  /** Two clients of a listener, before servers that are spoken to in dialect, and a store. */
  private static SocketlessWorld world(String listener, String dialect, Credentials... users) {
    Configuration configuration =
        Loader.parse("test.yaml", YAML.formatted(dialect)).configuration();
    return new SocketlessWorld(configuration, listener, listener, dialect.equals("binary"), users);
  }

  /** Client says these bytes, of which at most length arrive at once. */
  private static void says(
      SocketlessWorld world, EmbeddedChannel client, byte[] bytes, int length) {
    for (int at = 0; at < bytes.length; at += length) {
      int now = Math.min(length, bytes.length - at);
      client.pipeline().fireChannelRead(Unpooled.copiedBuffer(bytes, at, now));
      client.pipeline().fireChannelReadComplete();
      world.settle();
    }
  }

  private static List<String> heard(SocketlessWorld world, EmbeddedChannel client) {
    return read(world.heard(client));
  }

  private static void close(SocketlessWorld world) {
    world.close();
    world.assertHoldsNothing();
  }

  @ParameterizedTest
  @CsvSource({
    "get a:1|get b:2|get a:3", // forwarded
    "set a:1|get a:1",
    "delete a:1|noop",
    "get short:1|get b:2", // renamed
    "set short:1|noop",
    "large a:1|get a:2", // the old value is deleted
    "large short:1|get a:2",
    "version|get a:1", // of all servers
    "get b:1|quit", // while b is ready, nothing waits
  })
  void shouldAnswerEachClientItself(String requests) {
    for (String listener : List.of("binary", "ignite")) {
      for (String dialect : List.of("binary", "text")) {
        for (int length : new int[] {1 << 20, 26, 1}) {
          answersEachItself(requests, listener, dialect, length);
        }
      }
    }
  }

  private static void answersEachItself(
      String requests, String listener, String dialect, int length) {
    boolean ignite = listener.equals("ignite");
    String others = ignite ? OTHERS : MORE_OTHERS;
    String of = "%s to %s in pieces of %d".formatted(listener, dialect, length);
    SocketlessWorld world = world(listener, dialect);
    try {
      boolean waits = !requests.startsWith("get b");
      world.a.accepts(false);
      says(world, world.first, packets(requests, 1), length);
      List<String> now = waits ? List.of() : replies(requests, 1, ignite);
      assertThat(heard(world, world.first)).as(of).isEqualTo(now);
      says(world, world.second, packets(others, 1001), Math.max(length, 7));
      assertThat(heard(world, world.second)).as(of).isEqualTo(replies(others, 1001, ignite));
      assertThat(world.second.isOpen()).as(of).isFalse();
      if (waits) {
        world.a.accepts(true);
        world.settle();
        assertThat(heard(world, world.first)).as(of).isEqualTo(replies(requests, 1, ignite));
      }
      assertThat(world.first.isOpen()).as(of).isEqualTo(waits);
    } finally {
      close(world);
    }
  }

  private static byte[] login(int opcode, String message, int opaque) {
    ByteBuf out = Unpooled.buffer();
    packet(out, opcode, 0, "PLAIN", message, opaque);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  @Test
  void shouldKeepLoginsApart() {
    String right = "\0" + ALICE.user() + "\0" + ALICE.password();
    SocketlessWorld world = world("binary", "binary", ALICE);
    try {
      says(world, world.first, login(Opcode.SASL_AUTH, "", 1), 1000);
      assertThat(heard(world, world.first)).containsExactly("1 error"); // it must continue
      says(world, world.second, login(Opcode.SASL_STEP, right, 2), 1000);
      assertThat(heard(world, world.second)).containsExactly("2 error"); // it has not begun
      says(world, world.first, login(Opcode.SASL_STEP, right, 3), 1000);
      assertThat(heard(world, world.first)).containsExactly("3 ok Authenticated");
      says(world, world.second, packets("get b:1", 4), 1000);
      assertThat(heard(world, world.second)).containsExactly("4 error");
      assertThat(world.second.isOpen()).isFalse();
      says(world, world.first, packets("get a:1", 5), 1000);
      assertThat(heard(world, world.first)).containsExactly("5 ok a:1");
    } finally {
      close(world);
    }
  }

  /** They are many, and a client that has not logged in should cost them nothing. */
  @Test
  void shouldAskNoServerForItsVersionBeforeALogin() {
    for (String dialect : List.of("binary", "text")) {
      SocketlessWorld world = world("binary", dialect, ALICE);
      try {
        String asked = world.a.asked() + world.b.asked();
        says(world, world.first, packets("version|version", 1), 1000);
        assertThat(heard(world, world.first)).containsExactly("1 ok 1.6.45", "2 ok 1.6.45");
        assertThat(world.a.asked() + world.b.asked()).isEqualTo(asked);
        String right = "\0" + ALICE.user() + "\0" + ALICE.password();
        says(world, world.first, login(Opcode.SASL_AUTH, right, 3), 1000);
        says(world, world.first, packets("version", 4), 1000);
        assertThat(heard(world, world.first)).containsExactly("3 ok Authenticated", "4 ok 1.6.45");
        assertThat(world.a.asked() + world.b.asked()).isNotEqualTo(asked);
      } finally {
        close(world);
      }
    }
  }

  /** Servers that are not memcached, or were built without tags, also report one. */
  @Test
  void shouldAnswerAVersionBeforeALoginWithWhatAnyServerHasReported() {
    SocketlessWorld world = world("storeless", "text", ALICE);
    try {
      world.a.server().status().version(ServerVersion.reported("3.0.3"));
      world.b.server().status().version(ServerVersion.reported("UNKNOWN"));
      String asked = world.a.asked() + world.b.asked();
      says(world, world.first, packets("version", 1), 1000);
      assertThat(heard(world, world.first)).containsExactly("1 ok 1.6.18");
      assertThat(world.a.asked() + world.b.asked()).isEqualTo(asked);
    } finally {
      close(world);
    }
  }

  /** A node empties its caches at once, and looks at no extras. */
  @ParameterizedTest
  @ValueSource(strings = {"binary", "text"})
  void shouldFlushAtOnceForAClientOfIgnite(String dialect) {
    ByteBuf flush = Unpooled.buffer();
    packet(flush, Opcode.FLUSH, 4, "", "", 1);
    flush.setInt(BinaryHeader.LENGTH, 3600);
    byte[] bytes = new byte[flush.readableBytes()];
    flush.readBytes(bytes);
    SocketlessWorld world = world("ignite", dialect);
    try {
      says(world, world.first, bytes, 1000);
      assertThat(heard(world, world.first)).containsExactly("1 ok ");
      for (SocketlessServer server : List.of(world.a, world.b)) {
        String asked = server.asked();
        int at = asked.indexOf(dialect.equals("text") ? "flush_all" : "\u0080\b");
        assertThat(at).isNotNegative();
        assertThat(asked.substring(at)).doesNotContain("3600").doesNotContain("\16\20");
      }
    } finally {
      close(world);
    }
  }
}
