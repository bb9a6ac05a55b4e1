package sluice.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.memcached.binary.Opcode;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.embedded.EmbeddedSession;
import sluice.embedded.EmbeddedStore;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listen.ClientLoop;
import sluice.gateway.listen.Listeners;
import sluice.gateway.listen.NewClient;
import sluice.gateway.listener.Listener;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.RequestPool;

/**
 * Behind a route that renames keys, the embedded store answers byte for byte as behind one that
 * does not, and keeps its items under the new names.
 */
class RenamedKeysOfAStoreTest {
  private static final Configuration CONFIGURATION =
      Loader.parse(
              "renamed.yaml",
              """
              listeners:
                plain: {bind: 127.0.0.1:0, route: plain, limits: {itemSize: 64KiB}}
                same: {bind: 127.0.0.1:0, route: same, limits: {itemSize: 64KiB}}
                longer: {bind: 127.0.0.1:0, route: longer, limits: {itemSize: 64KiB}}
                none: {bind: 127.0.0.1:0, route: none, limits: {itemSize: 64KiB}}
              routes:
                plain: [{pool: p}]
                same: [{match: {prefix: "s:"}, pool: p, key: {strip: "s:", add: "v:"}}, {pool: p}]
                longer: [{match: {prefix: "s:"}, pool: p, key: {strip: "s:", add: "longer-:"}}, {pool: p}]
                none: [{match: {prefix: "s:"}, pool: p, key: {strip: "s:"}}, {pool: p}]
              pools:
                p: {protocol: embedded, size: 1MiB}
              """)
          .configuration();
  private static final LoopMetrics METRICS = new GatewayMetrics().newLoop();
  private static final Clock CLOCK =
      Clock.fixed(Instant.ofEpochSecond(1_700_000_000), ZoneOffset.UTC);

  /** {@code czpi} is s:b in base64, {@code czogYg==} is "s: b", {@code eDp5} is x:y. */
  private static final String TEXT =
      """
      set s:a 5 0 3
      abc
      get s:a
      get s:a s:none plain s:a
      gat 0 s:a
      gat 0 s:a s:a
      gets s:none
      append s:a 0 0 2
      de
      add s:a 0 0 1
      x
      set s:n 0 0 1 noreply
      5
      incr s:n 2
      decr s:none 2
      touch s:a 0
      cas s:a 1 0 1 99
      z
      mg s:a k v s
      mg s:a s v k Oq
      mg s:none k Oq
      mg s:none k q
      mg s:n k q v
      ms s:m 2 k Ox
      hi
      ms s:m 2 ME k
      hi
      ms s:m 2 C1 k
      hi
      ma s:n k v
      ma s:none k v
      md s:m k q
      md s:m k
      ms czpi 2 b k
      hi
      mg czpi b k v
      mg czpi k v b q
      mg s:b k v
      get s:b
      ms czogYg== 3 b
      abc
      mg czogYg== b k v Oz
      md czogYg== k b
      ms eDp5 1 b k
      1
      mg eDp5 b k
      mg s:* b k
      ms s:* 1 b k
      z
      delete s:n noreply
      delete s:n
      set s:a x 0 1
      set s:a 0 0 1 noreply
      toolong
      get s:a
      get
      set
      ms
      delete
      delete s:a 0 0
      mn
      """
          .replace("\n", "\r\n");

  /** Also prints the size of an item, which depends on the length of its key. */
  private static final String DEBUG =
      """
      set s:a 0 0 1
      1
      me s:a
      me s:none
      ms czpi 1 b
      1
      me s:b
      me czpi b b
      me czpi b
      """
          .replace("\n", "\r\n");

  private static byte[] binary() {
    ByteBuf all = Unpooled.buffer();
    byte[] extras = {0, 0, 0, 7, 0, 0, 0, 0};
    packet(all, Opcode.SET, extras, "s:a", "abc");
    packet(all, Opcode.GET, new byte[0], "s:a", "");
    packet(all, Opcode.GETK, new byte[0], "s:a", "");
    packet(all, Opcode.GETK, new byte[0], "s:none", "");
    packet(all, Opcode.GETKQ, new byte[0], "s:a", "");
    packet(all, Opcode.GETKQ, new byte[0], "s:none", "");
    packet(all, Opcode.GETK, new byte[0], "plain", "");
    packet(all, Opcode.GATK, new byte[4], "s:a", "");
    packet(all, Opcode.GATKQ, new byte[4], "s:a", "");
    packet(all, Opcode.GATKQ, new byte[4], "s:none", "");
    packet(all, Opcode.APPEND, new byte[0], "s:a", "de");
    packet(all, Opcode.ADD, extras, "s:a", "x");
    packet(all, Opcode.INCREMENT, new byte[20], "s:n", "");
    packet(all, Opcode.TOUCH, new byte[4], "s:a", "");
    packet(all, Opcode.GETK, new byte[0], "s:a", "");
    packet(all, Opcode.DELETE, new byte[0], "s:a", "");
    packet(all, Opcode.DELETE, new byte[0], "s:a", "");
    packet(all, Opcode.NOOP, new byte[0], "", "");
    return Arrays.copyOf(all.array(), all.writerIndex());
  }

  private static void packet(ByteBuf out, int opcode, byte[] extras, String key, String value) {
    out.writeByte(0x80).writeByte(opcode).writeShort(key.length()).writeByte(extras.length);
    out.writeByte(0).writeShort(0).writeInt(extras.length + key.length() + value.length());
    out.writeInt(out.writerIndex()).writeLong(0).writeBytes(extras);
    out.writeBytes((key + value).getBytes(ISO_8859_1));
  }

  /** A store and a loop of its own; a client for each call. */
  private static final class World implements AutoCloseable {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final EmbeddedStore store = new EmbeddedStore(1 << 20, 64 << 10, CLOCK, allocator);

    byte[] talk(String listener, byte[]... reads) {
      MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
      EmbeddedChannel channel = new EmbeddedChannel();
      Loop loop = new Loop(channel.eventLoop(), allocator, memory, METRICS);
      ClientLoop loopState = new ClientLoop(loop, new RequestPool(), List.of());
      Listener leading = new Listener(loop, METRICS.listener("l"), new AtomicInteger());
      Listeners.apply(
          leading,
          CONFIGURATION,
          CONFIGURATION.listeners().get(listener),
          Pool.embedded("p", new EmbeddedSession(store)));
      ByteBuf heard = Unpooled.buffer();
      try {
        channel.pipeline().addLast("sluice", new NewClient(loopState, leading));
        for (byte[] read : reads) {
          channel.writeInbound(Unpooled.copiedBuffer(read));
          channel.runPendingTasks();
        }
        channel.checkException();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
          heard.writeBytes(out);
          out.release();
        }
      } finally {
        channel.finishAndReleaseAll();
        loopState.close();
      }
      assertThat(memory.total()).as("bytes counted as buffered").isZero();
      return Arrays.copyOf(heard.array(), heard.writerIndex());
    }

    String talk(String listener, String request) {
      return new String(talk(listener, request.getBytes(ISO_8859_1)), ISO_8859_1);
    }

    @Override
    public void close() {
      store.close();
      assertThat(allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
    }
  }

  private static byte[] answer(String listener, byte[]... reads) {
    try (World world = new World()) {
      return world.talk(listener, reads);
    }
  }

  private static void everyCut(String listener, byte[] stream) {
    byte[] expected = answer("plain", stream);
    for (int cut = 1; cut < stream.length; cut++) {
      byte[] first = Arrays.copyOf(stream, cut);
      byte[] second = Arrays.copyOfRange(stream, cut, stream.length);
      assertThat(answer(listener, first, second)).as("cut at %d", cut).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "longer", "none"})
  void shouldAnswerAsWithoutRenaming(String listener) {
    byte[] text = TEXT.getBytes(ISO_8859_1);
    assertThat(new String(answer(listener, text), ISO_8859_1))
        .isEqualTo(new String(answer("plain", text), ISO_8859_1));
    assertThat(answer(listener, binary())).isEqualTo(answer("plain", binary()));
  }

  @Test
  void shouldAnswerTextAsWithoutRenamingWhereverTheStreamIsCut() {
    everyCut("longer", TEXT.getBytes(ISO_8859_1));
  }

  @Test
  void shouldAnswerDebugAsWithoutRenamingWhereverTheStreamIsCut() {
    everyCut("same", DEBUG.getBytes(ISO_8859_1));
  }

  @Test
  void shouldAnswerBinaryAsWithoutRenamingWhereverTheStreamIsCut() {
    everyCut("longer", binary());
  }

  @Test
  void shouldKeepItemsUnderTheNewNameInEveryDialect() {
    Map<String, String> names = Map.of("same", "v:", "longer", "longer-:", "none", "");
    names.forEach(
        (listener, added) -> {
          try (World world = new World()) {
            world.talk(listener, "set s:t 0 0 1\r\n1\r\nms czpi 1 b\r\n2\r\n");
            ByteBuf set = Unpooled.buffer();
            packet(set, Opcode.SET, new byte[8], "s:c", "3");
            world.talk(listener, Arrays.copyOf(set.array(), set.writerIndex()));

            assertThat(world.talk("plain", "mg s:t v\r\nmg s:b v\r\nmg s:c v\r\n"))
                .isEqualTo("EN\r\n".repeat(3));
            assertThat(
                    world.talk(
                        "plain", "mg %st v\r\nmg %sb v\r\nmg %sc v\r\n".replace("%s", added)))
                .isEqualTo("VA 1\r\n1\r\nVA 1\r\n2\r\nVA 1\r\n3\r\n");
          }
        });
  }

  @Test
  void shouldDeleteTheOldValueOfOneThatIsTooLargeUnderItsNewName() {
    try (World world = new World()) {
      String large = "set s:a 0 0 70000\r\n" + "x".repeat(70_000) + "\r\n";
      assertThat(world.talk("longer", "set s:a 0 0 1\r\n1\r\n" + large + "get s:a\r\n"))
          .isEqualTo("STORED\r\nSERVER_ERROR object too large for cache\r\nEND\r\n");
      assertThat(world.talk("plain", "mg longer-:a v\r\n")).isEqualTo("EN\r\n");
    }
  }

  @Test
  void shouldRefuseAKeyThatIsTooLongUnderItsNewName() {
    try (World world = new World()) {
      String key = "s:" + "k".repeat(248);
      String refused = "CLIENT_ERROR bad command line format\r\n";
      assertThat(world.talk("longer", "set " + key + " 0 0 1\r\n1\r\nmg " + key + " v\r\nmn\r\n"))
          .isEqualTo(refused + refused + "MN\r\n");
      assertThat(world.talk("longer", "get s:a " + key + "\r\ndelete " + key + "\r\nmn\r\n"))
          .isEqualTo(refused + refused + "MN\r\n");
      assertThat(world.talk("longer", "gat 0 s:a s:" + "k".repeat(250) + "\r\nmn\r\n"))
          .isEqualTo(refused + "\r\nMN\r\n"); // with an empty line, as behind any other route
    }
  }

  @Test
  void shouldRefuseAKeyThatIsTooLongUnderItsOldNameOnly() {
    try (World world = new World()) {
      String key = "s:" + "k".repeat(249);
      String sets = "set " + key + " 0 0 1\r\n1\r\nms " + key + " 1\r\n1\r\n";
      String refused = "CLIENT_ERROR bad command line format\r\n";
      assertThat(world.talk("none", sets + "mg " + key + " v\r\nmn\r\n"))
          .isEqualTo(refused.repeat(3) + "MN\r\n");
      assertThat(world.talk("plain", "mg " + key.substring(2) + " v\r\n")).isEqualTo("EN\r\n");
    }
  }
}
