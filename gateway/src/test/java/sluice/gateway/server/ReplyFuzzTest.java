package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.bridge.BinaryReplyWriter;
import sluice.codecs.memcached.bridge.BinaryRequestWriter;
import sluice.codecs.memcached.bridge.IgniteReplyWriter;
import sluice.codecs.memcached.bridge.IgniteRequestWriter;
import sluice.codecs.memcached.bridge.MetaReplyWriter;
import sluice.codecs.memcached.bridge.MetaRequestWriter;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.TextReplyWriter;
import sluice.codecs.memcached.bridge.TextRequestWriter;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PatientRequester;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.SocketTransport;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.ServerProtocol;
import sluice.gateway.server.protocol.binary.BinaryProtocol;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.names.Command;

/** A server that may answer anything: each request has one end, and nothing is kept. */
@Tag("long") // its instrumentation would slow down every other test of the module
class ReplyFuzzTest {
  private static final LoopMetrics METRICS = new GatewayMetrics().newLoop();
  private static final long SECOND = 1_000_000_000L;
  private static final ReplyKind[] TEXT = {
    ReplyKind.LINE,
    ReplyKind.STORED,
    ReplyKind.DELETED,
    ReplyKind.TOUCHED,
    ReplyKind.NUMBER,
    ReplyKind.VALUES,
    ReplyKind.META,
    ReplyKind.STATS,
    ReplyKind.DUMP,
    ReplyKind.STREAM
  };
  private static final ServerProtocol[] PROTOCOLS = {
    TextProtocol.INSTANCE, BinaryProtocol.INSTANCE
  };
  private static final ReplyKind[] BINARY = {ReplyKind.PACKET, ReplyKind.PACKETS};

  private static final RequestWriter[] LINES = {
    TextRequestWriter.INSTANCE, MetaRequestWriter.INSTANCE
  };
  private static final RequestWriter[] PACKETS = {
    BinaryRequestWriter.INSTANCE, new IgniteRequestWriter(new byte[0], true, () -> 1_800_000_000L)
  };
  private static final ReplyWriter[] CLIENTS = {
    TextReplyWriter.INSTANCE,
    MetaReplyWriter.INSTANCE,
    BinaryReplyWriter.INSTANCE,
    new IgniteReplyWriter()
  };

  /** A client that takes everything at once, in the order in which it asked. */
  private static final class Client extends PatientRequester {
    final List<PendingReply> waiting = new ArrayList<>();
    int ended;

    @Override
    public boolean isTurnOf(PendingReply pending) {
      return waiting.get(0) == pending;
    }

    @Override
    public void reply(ByteBuf bytes) {
      bytes.release();
    }

    @Override
    public void reply(ByteBuf source, int from, int length) {
      assertThat(from + length).isLessThanOrEqualTo(source.writerIndex());
    }

    @Override
    public boolean completed(PendingReply pending) {
      assertThat(waiting.remove(pending)).isTrue();
      ended++;
      return false;
    }

    @Override
    public void advance() {
      while (!waiting.isEmpty() && waiting.get(0).isComplete()) {
        PendingReply first = waiting.get(0);
        first.writeSlices();
        completed(first);
      }
    }

    @Override
    public ByteBuf failureReply(PendingReply pending, String reason) {
      return Unpooled.buffer(1).writeByte('!');
    }

    @Override
    public void abandon(String reason) {
      ended += waiting.size();
      waiting.forEach(PendingReply::detach);
      waiting.forEach(PendingReply::releaseSlices);
      waiting.clear();
    }
  }

  @FuzzTest(maxDuration = "60s")
  void shouldEndEveryTextRequestWhateverIsAnswered(FuzzedDataProvider data) {
    converse(data, TextProtocol.INSTANCE, false);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldEndEveryBinaryRequestWhateverIsAnswered(FuzzedDataProvider data) {
    converse(data, BinaryProtocol.INSTANCE, false);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldEndEveryBridgedRequestWhateverIsAnswered(FuzzedDataProvider data) {
    converse(data, data.pickValue(PROTOCOLS), true);
  }

  /** Makes pending reply one of a client that may speak another dialect than the server. */
  private static void bridge(
      FuzzedDataProvider data, boolean text, PendingReply pending, RequestPool requestPool) {
    Request request = new Request().clear(data.pickValue(Operation.values()));
    request.wants = data.consumeInt(0, 127);
    request.returnsKey = data.consumeBoolean();
    ByteBuf key = Unpooled.wrappedBuffer(new byte[] {'k'});
    request.key.set(key, 0, 1);
    request.clientKey.set(key, 0, 1);
    RequestWriter writer = data.pickValue(text ? LINES : PACKETS);
    Bridged bridged = requestPool.takeBridged();
    bridged.awaited().remember(request);
    String refusal =
        writer.write(request, pending.request().opaque(), bridged.awaited(), Unpooled.buffer());
    if (refusal == null) {
      bridged.between(writer.replies(), data.pickValue(CLIENTS), null);
      pending.bridge(bridged);
    }
  }

  private static void converse(FuzzedDataProvider data, ServerProtocol protocol, boolean bridges) {
    boolean text = protocol == TextProtocol.INSTANCE;
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
    EmbeddedChannel channel = new EmbeddedChannel();
    Loop loop = new Loop(channel.eventLoop(), allocator, memory, METRICS);
    RequestPool requestPool = new RequestPool();
    Server server =
        new Server(
            loop, null, requestPool, new ServerStatus("p", "s"), protocol, settings(), METRICS);
    ServerConnection connection = server.made(0, new SocketTransport(server.context().reports()));
    channel.pipeline().addLast(connection);
    channel.writeInbound(probeReply(text));
    assertThat(connection.isUsable()).isTrue();
    Client client = new Client();
    int count = data.consumeInt(1, 4);
    for (int i = 0; i < count; i++) {
      ReplyKind kind = data.pickValue(text ? TEXT : BINARY);
      PendingReply pending =
          requestPool
              .take()
              .start(client, Command.GET, kind, data.pickValue(Suppression.values()), loop.now());
      pending.binary(data.consumeInt(0, 0x24), 7);
      pending.wireOpaque(connection.nextOpaque());
      if (bridges) {
        bridge(data, text, pending, requestPool);
      }
      pending.sent().addKey(KeyHash.of(Unpooled.wrappedBuffer(new byte[] {'k'}), 0, 1));
      client.waiting.add(pending);
      connection.expect(pending);
    }
    while (data.remainingBytes() > 0 && channel.isOpen()) {
      byte[] read = data.consumeBytes(data.consumeInt(1, 64));
      channel.writeInbound(Unpooled.copiedBuffer(read));
    }
    channel.runPendingTasks();
    channel.checkException();
    channel.finishAndReleaseAll();
    assertThat(client.waiting).as("requests that nobody answered").isEmpty();
    assertThat(client.ended).isEqualTo(count);
    assertThat(client.held()).as("bytes counted as held for the client").isZero();
    assertThat(memory.total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
  }

  private static ServerSettings settings() {
    SocketAddress nowhere = SocketAddress.inetSocketAddress(1, "127.0.0.1");
    return new ServerSettings(
        nowhere, null, null, 1, 1, SECOND, SECOND, SECOND, SECOND, 0, 0, 0, 0);
  }

  private static ByteBuf probeReply(boolean text) {
    if (text) {
      return Unpooled.copiedBuffer("VERSION 1.6.18\r\n", US_ASCII);
    }
    ByteBuf reply = Unpooled.buffer();
    BinaryHeader.writeResponse(reply, Opcode.VERSION, 0, 0, 0, 6, 0, 0);
    reply.writeCharSequence("1.6.18", US_ASCII);
    BinaryHeader.writeResponse(reply, Opcode.NOOP, 0, 0, 0, 0, 0, 0);
    return reply;
  }
}
