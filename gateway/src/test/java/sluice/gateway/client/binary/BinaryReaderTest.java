package sluice.gateway.client.binary;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.config.Loader;
import sluice.gateway.client.Connected;
import sluice.gateway.client.ValueSlices;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestPhase;
import sluice.gateway.listener.Listener;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.near.NearCaches;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.RequestPool;
import sluice.gateway.route.Route;
import sluice.gateway.session.LoopState;

/** Bytes in, requests out: wherever the input is cut, and however long a request has to wait. */
class BinaryReaderTest {
  private static final String YAML =
      """
      listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
      routes: {cache: [{pool: cache}]}
      pools: {cache: {protocol: embedded, size: 2MiB}}
      """;

  private static final List<String> REQUESTS =
      List.of("GET key", "SET other=value", "SET empty=", "GET k", "DELETE gone");

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final LoopMetrics metrics = new GatewayMetrics().newLoop();
  private final MemoryShare memory = MemoryShare.of(1, 16 << 20)[0];
  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final Loop loop = new Loop(owner.eventLoop(), allocator, memory, metrics);
  private final LoopState loopState = new LoopState(loop, new RequestPool(), List.of(), 0);
  private final Dispatcher dispatcher = new Dispatcher(loopState);
  private final BinaryRequestPool pool = new BinaryRequestPool(loop, dispatcher);
  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private final List<String> seen = new ArrayList<>();

  private static byte[] input() {
    ByteBuf all = Unpooled.buffer();
    packet(all, Opcode.GET, 0, "key", "");
    packet(all, Opcode.SET, 8, "other", "value");
    packet(all, Opcode.SET, 8, "empty", "");
    packet(all, Opcode.GETQ, 0, "k", "");
    packet(all, Opcode.DELETE, 0, "gone", "");
    byte[] bytes = new byte[all.readableBytes()];
    all.readBytes(bytes);
    return bytes;
  }

  private static void packet(ByteBuf out, int opcode, int extras, String key, String value) {
    out.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(opcode).writeShort(key.length());
    out.writeByte(extras).writeZero(3).writeInt(extras + key.length() + value.length());
    out.writeInt(7).writeLong(0).writeZero(extras);
    out.writeCharSequence(key + value, US_ASCII);
  }

  private ListenerView listenerView() {
    Listener listener = new Listener(loop, metrics.listener("cache"), new AtomicInteger());
    listener.apply(
        Loader.parse("test.yaml", YAML).configuration().listeners().get("cache"),
        new Route("cache", List.of()),
        new Pool[0],
        List.of(),
        new NearCaches());
    return new ListenerView(listener);
  }

  /** Notes each request, and is done with it. */
  private class Noting implements BinaryReader.Handler {
    @Override
    public int headLength(ByteBuf in, int at) {
      return BinaryHeader.LENGTH
          + BinaryHeader.keyLength(in, at)
          + BinaryHeader.extrasLength(in, at);
    }

    @Override
    public boolean answersAll() {
      return false;
    }

    @Override
    public void handle(BinaryRequest request) {
      assertThat(request.phase()).isEqualTo(RequestPhase.PARSED);
      int value = request.valueLength();
      if (!request.hasValue()) {
        request.owner().gather(request, value);
        return;
      }
      String text = request.buffer().toString(request.headEnd(), value, US_ASCII);
      note(request, text);
      request.owner().packetDone(request, value);
      assertThat(request.owner()).isNull();
    }

    @Override
    public void handleGathered(BinaryRequest request, ValueSlices slices) {
      ByteBuf whole = slices.copyBehind(Unpooled.EMPTY_BUFFER);
      note(request, whole.toString(US_ASCII));
      whole.release();
      request.owner().gatheredDone(request);
      assertThat(request.owner()).isNull();
    }

    void note(BinaryRequest request, String value) {
      boolean stores = request.packet.extras() > 0;
      seen.add(request.command() + " " + key(request) + (stores ? "=" + value : ""));
    }

    String key(BinaryRequest request) {
      return request
          .buffer()
          .toString(request.packet.keyStart(), request.packet.keyLength(), US_ASCII);
    }

    @Override
    public ByteBuf failureReply(PendingReply pending, String reason) {
      throw new AssertionError(reason);
    }
  }

  /** As {@link Noting}, but it waits with every request until it is looked at again. */
  private final class Waiting extends Noting {
    private BinaryRequest waited;

    @Override
    public void handle(BinaryRequest request) {
      if (waited == null) {
        waited = request;
        request.routed(null);
        request.admitted();
        request.client().waitsForAll();
      } else {
        assertThat(request).isSameAs(waited);
        assertThat(request.phase()).isEqualTo(RequestPhase.WAITING);
        waited = null;
        note(
            request, request.buffer().toString(request.headEnd(), request.valueLength(), US_ASCII));
        request.owner().packetDone(request, request.valueLength());
      }
    }
  }

  private Connected connect(BinaryReader.Handler handler) {
    EmbeddedChannel channel = new EmbeddedChannel();
    channels.add(channel);
    ListenerView listenerView = listenerView();
    return Connected.by(
        channel,
        loopState,
        listenerView,
        client -> new BinaryReader(client, loopState, pool, handler, listenerView));
  }

  private static void says(Connected client, byte[] bytes, int from, int to) {
    client.channel().pipeline().fireChannelRead(Unpooled.copiedBuffer(bytes, from, to - from));
    client.channel().pipeline().fireChannelReadComplete();
    client.channel().checkException();
  }

  @AfterEach
  void closeEverything() {
    for (EmbeddedChannel channel : channels) {
      channel.finishAndReleaseAll();
      channel.runPendingTasks();
    }
    loopState.close();
    pool.close();
    dispatcher.close();
    assertThat(memory.total()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void shouldFindRequestsWhereverTheInputIsCut() {
    byte[] input = input();
    for (int cut = 1; cut < input.length; cut++) {
      seen.clear();
      Connected client = connect(new Noting());
      says(client, input, 0, cut);
      says(client, input, cut, input.length);
      assertThat(seen).as("cut at %d", cut).isEqualTo(REQUESTS);
    }
  }

  @Test
  void shouldFindRequestsThatComeByteByByte() {
    byte[] input = input();
    Connected client = connect(new Noting());
    for (int i = 0; i < input.length; i++) {
      says(client, input, i, i + 1);
    }
    assertThat(seen).isEqualTo(REQUESTS);
  }

  /** Of a large buffer that little is left of, that is copied: what waits there goes along. */
  @Test
  void shouldGoOnWithARequestThatWaitedWhereItWas() {
    ByteBuf all = Unpooled.buffer();
    for (int i = 0; i < 100; i++) {
      packet(all, Opcode.SET, 8, "key" + i, "v".repeat(200));
    }
    packet(all, Opcode.SET, 8, "last", "one");
    byte[] bytes = new byte[all.readableBytes()];
    all.readBytes(bytes);
    Connected client = connect(new Waiting());
    says(client, bytes, 0, bytes.length);
    for (int i = 0; i <= 100; i++) {
      assertThat(seen).hasSize(i);
      client.client().advance();
    }
    assertThat(seen).hasSize(101).last().isEqualTo("SET last=one");
  }

  @Test
  void shouldTakeMemoryForRequestsOnlyWhileTheyWait() {
    byte[] input = input();
    says(connect(new Noting()), input, 0, input.length);
    long before = memory.objects();
    for (int i = 0; i < 100; i++) {
      says(connect(new Noting()), input, 0, input.length);
    }
    assertThat(memory.objects()).isEqualTo(before);
    List<Connected> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(connect(new Waiting()));
      says(waiting.get(i), input, 0, input.length);
    }
    assertThat(memory.objects()).isGreaterThan(before + 90L * BinaryRequest.BYTES);
    waiting.forEach(client -> client.connection().cut(DropReason.STOPPING));
    waiting.forEach(client -> client.channel().runPendingTasks());
    assertThat(memory.objects()).isLessThan(before + 20L * BinaryRequest.BYTES);
  }
}
