package sluice.gateway.server.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.TextReplyWriter;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.OrderedRequester;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.ReplyReceiver;
import sluice.gateway.request.RequestConnection;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.health.ServerStatus;
import sluice.names.Command;

/** The replies on one connection, without the connection: what is read, and what a client gets. */
public final class DecodedReplies implements AutoCloseable {
  private static final LoopMetrics METRICS = new GatewayMetrics().newLoop();
  private static final long SECOND = 1_000_000_000L;
  private static final int SOCKET_READ = 16 * 1024;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
  private final EmbeddedChannel tasks = new EmbeddedChannel(); // for its event loop alone
  private final Loop loop = new Loop(tasks.eventLoop(), allocator, memory, METRICS);
  private final RequestPool requestPool = new RequestPool();
  private final RingQueue<ServerRequest> queue = new RingQueue<>();
  private final Client client = new Client();
  private final Relay relay = new Relay();
  private final List<ByteBuf> reads = new ArrayList<>();
  private final ReplyAssembler replies;
  private final ReplyDecoder decoder;
  private boolean failsInsideReplies;

  /** A client that takes everything at once, in the order in which it asked. */
  private final class Client extends OrderedRequester {
    private int answered;

    Client() {
      super(requestPool);
    }

    @Override
    public boolean completed(PendingReply pending) {
      answered++;
      return super.completed(pending);
    }
  }

  /** The connection of a server that nobody reaches. */
  private static final class Somewhere implements RequestConnection {
    @Override
    public String serverName() {
      return "s";
    }

    @Override
    public boolean isAnotherToSameServer(RequestConnection other) {
      return false;
    }
  }

  /** Another event loop, which takes everything at once. */
  private final class Relay implements ServerRequest.Relay {
    @Override
    public void reply(ByteBuf bytes) {
      client.reply(bytes);
    }

    @Override
    public void reply(ByteBuf source, int from, int length) {
      client.reply(source, from, length);
    }

    @Override
    public void completed(ServerRequest request) {
      client.answered++;
      requestPool.give(request);
    }

    @Override
    public boolean isFull(boolean next) {
      return false;
    }

    @Override
    public boolean pauses(Resumable server) {
      return false;
    }

    @Override
    public boolean holdsUp(Resumable server) {
      return false;
    }
  }

  /** Of a server that is spoken to like this. */
  public DecodedReplies(ServerProtocol protocol) {
    ServerStatus status = new ServerStatus("p", "s");
    Reports reports = new Reports(loop, status, METRICS, METRICS.server("p", "s"));
    ServerContext context = new ServerContext(loop, requestPool, status, reports, SECOND, null);
    ReplyAssembler.Owner nobody =
        new ReplyAssembler.Owner() {
          @Override
          public boolean isDetached() {
            return false;
          }

          @Override
          public void checkPressure(ReplyReceiver receiver, PendingReply reply) {
            assertThat(receiver).isIn(client, relay);
            if (failsInsideReplies && reply != null) {
              throw new IllegalStateException("of the test");
            }
          }

          @Override
          public boolean isPaused() {
            return false;
          }

          @Override
          public boolean mayReadLater() {
            return false;
          }

          @Override
          public long pausedNanos() {
            return 0;
          }
        };
    replies = new ReplyAssembler(nobody, queue, context);
    decoder = protocol.replyDecoder(replies, queue, context);
  }

  /** The client asks for key {@code k}. */
  public PendingReply ask(Command command, ReplyKind kind, Suppression suppression) {
    return enqueue(start(command, kind, suppression));
  }

  private PendingReply start(Command command, ReplyKind kind, Suppression suppression) {
    PendingReply pending = requestPool.take().start(client, command, kind, suppression, loop.now());
    addKey(pending, "k");
    return pending;
  }

  private PendingReply enqueue(PendingReply pending) {
    client.waiting.add(pending);
    enqueue(pending.sends());
    return pending;
  }

  private void enqueue(ServerRequest request) {
    request.sentTo(new Somewhere(), 0);
    queue.add(request);
  }

  /** Another event loop has asked what {@code asked} asks: its replies go there as they are. */
  private void relay(PendingReply asked) {
    ServerRequest echo = requestPool.takeEcho(asked.sends());
    echo.relayTo(relay);
    requestPool.give(asked);
    enqueue(echo);
  }

  /** Another event loop asks for key {@code k} by mg, with an opaque. */
  public void relayMeta(int opaque) {
    PendingReply asked = start(Command.MG, ReplyKind.META, Suppression.NOTHING);
    asked.wireOpaque(opaque);
    relay(asked);
  }

  /** As {@link #askBridged}, of another event loop's client. */
  public void relayBridged(Operation operation, int wants, RequestWriter server, ReplyWriter to) {
    relay(bridge(operation, wants, server, to));
  }

  public static void addKey(PendingReply pending, String key) {
    pending.sent().addKey(KeyHash.of(Unpooled.copiedBuffer(key, ISO_8859_1), 0, key.length()));
  }

  /** The client, which is answered by a writer, asks a server that another one asks. */
  public PendingReply askBridged(
      Operation operation, int wants, RequestWriter server, ReplyWriter toClient) {
    return enqueue(bridge(operation, wants, server, toClient));
  }

  private PendingReply bridge(
      Operation operation, int wants, RequestWriter server, ReplyWriter toClient) {
    PendingReply pending = start(Command.GET, ReplyKind.LINE, Suppression.NOTHING);
    Request request = new Request().clear(operation);
    request.wants = wants;
    request.returnsKey = toClient == TextReplyWriter.INSTANCE; // which names it with a value
    ByteBuf key = Unpooled.copiedBuffer("k", ISO_8859_1);
    request.key.set(key, 0, 1);
    request.clientKey.set(key, 0, 1);
    pending.wireOpaque(7);
    Bridged bridged = requestPool.takeBridged();
    bridged.awaited().remember(request);
    assertThat(server.write(request, 7, bridged.awaited(), Unpooled.buffer())).isNull();
    bridged.between(server.replies(), toClient, null);
    pending.bridge(bridged);
    return pending;
  }

  /** The client of a pending reply is gone. */
  public void leaves(PendingReply pending) {
    assertThat(client.waiting.remove(pending)).isTrue();
    requestPool.give(pending);
  }

  /** The client asks another server first. */
  public PendingReply askElsewhere() {
    PendingReply pending = start(Command.GET, ReplyKind.VALUES, Suppression.NOTHING);
    client.waiting.add(pending);
    return pending;
  }

  /** From now on it is an error of the program to keep the beginning of a reply. */
  public void failsInsideReplies() {
    failsInsideReplies = true;
  }

  /** The server says something, which arrives in one read. */
  public void read(String bytes) {
    read(Unpooled.copiedBuffer(bytes, ISO_8859_1));
  }

  /** The same, into a buffer of the size that sockets are read into. */
  public void readFromSocket(String bytes) {
    ByteBuf in = allocator.directBuffer(SOCKET_READ);
    in.writeCharSequence(bytes, ISO_8859_1);
    read(in);
  }

  /** Bytes of the buffers that are there. */
  public long allocated() {
    return allocator.metric().usedDirectMemory();
  }

  private void read(ByteBuf in) {
    reads.add(in);
    try {
      replies.read(in, decoder, queue.size());
    } finally {
      in.release();
    }
  }

  /** What the client has got in all, a char a byte. */
  public String got() {
    return client.got.toString();
  }

  /** How many of the client's requests have their replies. */
  public int answered() {
    return client.answered;
  }

  public boolean isInsideReply() {
    return decoder.isInsideReply();
  }

  public boolean isInsideValue() {
    return decoder.isInsideValue();
  }

  /** The connection is closed, whatever is left. */
  @Override
  public void close() {
    decoder.release();
    replies.cancelContinued();
    while (!queue.isEmpty()) {
      ServerRequest request = queue.poll();
      if (request.reply() != null) {
        requestPool.give(request.reply());
      }
      requestPool.give(request);
    }
    assertThat(reads).as("what was read").allMatch(each -> each.refCnt() == 0);
    assertThat(client.held()).as("bytes counted as held for the client").isZero();
    assertThat(memory.total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
    tasks.finishAndReleaseAll();
  }

  /** A response, a char a byte. */
  public static String packet(
      int opcode, int opaque, int status, String key, String extras, String value) {
    ByteBuf packet = Unpooled.buffer();
    int body = key.length() + extras.length() + value.length();
    BinaryHeader.writeResponse(
        packet, opcode, key.length(), extras.length(), status, body, opaque, 0);
    return packet.toString(ISO_8859_1) + extras + key + value;
  }

  /** What is asked before a test's server says anything. */
  public interface Asking {
    void ask(DecodedReplies replies);
  }

  /**
   * Two replies to the same request, cut at every byte and then into single bytes: after each read
   * just those are answered that are whole, and a reply has begun just if bytes of it are there.
   */
  public static void shouldEndWhereItEnds(
      ServerProtocol protocol, Asking asking, String reply, String expected) {
    String both = reply + reply;
    for (int cut = 0; cut <= both.length(); cut++) {
      try (DecodedReplies replies = new DecodedReplies(protocol)) {
        asking.ask(replies);
        asking.ask(replies);
        List<String> reads = new ArrayList<>();
        if (cut == 0) {
          both.chars().forEach(each -> reads.add(String.valueOf((char) each)));
        } else {
          reads.add(both.substring(0, cut));
          reads.add(both.substring(cut));
        }
        int read = 0;
        for (String each : reads) {
          if (!each.isEmpty()) {
            replies.read(each);
            read += each.length();
            assertThat(replies.answered()).as("of %d bytes", read).isEqualTo(read / reply.length());
            assertThat(replies.isInsideReply())
                .as("inside a reply after %d bytes", read)
                .isEqualTo(read % reply.length() != 0);
          }
        }
        assertThat(replies.got()).as("cut at %d", cut).isEqualTo(expected + expected);
        assertThat(replies.isInsideValue()).isFalse();
      }
    }
  }
}
