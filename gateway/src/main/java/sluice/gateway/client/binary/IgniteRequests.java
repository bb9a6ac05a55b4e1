package sluice.gateway.client.binary;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import sluice.codecs.ProtocolException;
import sluice.codecs.ignite.IgniteOperation;
import sluice.codecs.ignite.IgniteRequest;
import sluice.codecs.ignite.ResponseEncoder;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.bridge.IgniteReplyWriter;
import sluice.codecs.memcached.bridge.IgniteRequestReader;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.ValueSlices;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Limiter;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.route.Rule;
import sluice.gateway.session.LoopState;
import sluice.names.Command;

/**
 * Handler of requests in Apache Ignite's dialect. Requests with a key take the canonical form
 * ({@link Backend}). A request for which a node closes the connection does so here, too.
 */
public final class IgniteRequests implements BinaryReader.Handler {
  private static final ByteBuf DEFAULT_CACHE =
      Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("default", US_ASCII));

  private final Loop loop;
  private final BinaryRouting routing;
  private final BinaryOperations operations;
  private final BinaryBridged bridged;
  private final IgniteReplyWriter writer;

  /** The handler of requests of all clients of loopState's event loop. */
  public IgniteRequests(LoopState loopState, Dispatcher dispatcher) {
    loop = loopState.loop();
    writer = dispatcher.ignite();
    routing =
        new BinaryRouting(loopState) {
          @Override
          ByteBuf reply(BinaryPacket packet, int status, String text) {
            // there is no other status, and no text
            return failure(packet.opcode(), packet.opaque());
          }
        };
    operations = new BinaryOperations(loopState, dispatcher, routing, writer);
    bridged =
        new BinaryBridged(
            loop,
            dispatcher,
            routing,
            (request, canonical) ->
                IgniteRequestReader.read(request.buffer(), request.ignite, canonical),
            writer);
  }

  @Override
  public int headLength(ByteBuf in, int at) {
    int key = BinaryHeader.keyLength(in, at);
    int extras = BinaryHeader.extrasLength(in, at);
    boolean sane =
        key <= BinaryPacket.MAX_KEY
            && extras <= IgniteRequest.MAX_EXTRAS_LENGTH
            && key + extras <= BinaryHeader.bodyLength(in, at);
    return sane ? BinaryHeader.LENGTH + extras + key : BinaryHeader.LENGTH;
  }

  @Override
  public boolean answersAll() {
    return true;
  }

  @Override
  public void handle(BinaryRequest request) {
    if (request.isNew() && !isUnderstood(request)) {
      end(request); // without an answer, as a node does
      return;
    }
    switch (request.ignite.operation()) {
      case QUIT -> end(request);
      case NOOP -> {
        ByteBuf reply = loop.buffer(BinaryHeader.LENGTH);
        writer.success(request.packet.opcode(), request.packet.opaque(), reply);
        answer(request, Command.NOOP, Outcome.OK, reply);
      }
      case VERSION, STAT, FLUSH -> {
        if (request.packet.isWellFormed()) {
          clearExtras(request);
          operations.handle(request);
        } else {
          refuse(request);
        }
      }
      default -> item(request);
    }
  }

  /** A node does not look at the extras of a flush; to a memcached they are a delay. */
  private static void clearExtras(BinaryRequest request) {
    if (request.packet.extras() == Integer.BYTES) {
      request.buffer().setInt(request.from() + BinaryHeader.LENGTH, 0);
    }
  }

  /** Closes the client of a request that has no answer. */
  private static void end(BinaryRequest request) {
    ConnectedClient client = request.client();
    request.owner().packetDone(request, 0);
    client.end();
  }

  private static boolean isUnderstood(BinaryRequest request) {
    try {
      request.readAsIgnite();
      return true;
    } catch (ProtocolException e) {
      return false;
    }
  }

  private void item(BinaryRequest request) {
    if (request.isNew() && !admits(request)) {
      refuse(request);
      return;
    }
    Backend backend = routing.backend(request);
    int value = request.ignite.valueLength();
    if (value > 0) { // a request that stores nothing must have no value
      request.client().writes(value);
    }
    if (value > request.listenerView().limits().itemSizeBytes()) {
      // As in memcached, the old value is deleted with the new one.
      if (request.command() != Command.SET || bridged.delete(request, backend)) {
        refuse(request);
      }
    } else {
      bridged.send(request, backend);
    }
  }

  /** Finds the rule of a new request that servers can carry out. Returns whether it may be sent. */
  private boolean admits(BinaryRequest request) {
    if (!isKnown(request)) {
      return false;
    }
    routing.find(request);
    Rule rule = request.rule();
    KeyRewrite rewrite = request.rewrite();
    boolean tooLong =
        rewrite != null && rewrite.serverLength(request.packet.keyLength()) > BinaryPacket.MAX_KEY;
    if (rule == null || rule.reject() != null || tooLong) {
      return false;
    }
    Limiter limiter = request.listenerView().limiter(rule);
    if (limiter != null && request.client().isOver(limiter)) {
      return false;
    }
    request.admitted();
    return true;
  }

  /** Whether the request has a valid key, a known cache, and a value. */
  private static boolean isKnown(BinaryRequest request) {
    IgniteRequest view = request.ignite;
    boolean named = view.cacheNameLength() > 0;
    boolean takesValue =
        view.operation() == IgniteOperation.STORE
            || view.operation() == IgniteOperation.CONCATENATE;
    return view.keyLength() > 0
        && view.keyLength() <= BinaryPacket.MAX_KEY
        && (!named || isDefault(request) || view.operation() == IgniteOperation.COUNT)
        && takesValue == view.valueLength() > 0;
  }

  private static boolean isDefault(BinaryRequest request) {
    int length = DEFAULT_CACHE.readableBytes();
    IgniteRequest view = request.ignite;
    return view.cacheNameLength() == length
        && ByteBufUtil.equals(DEFAULT_CACHE, 0, request.buffer(), view.cacheNameIndex(), length);
  }

  @Override
  public void handleGathered(BinaryRequest request, ValueSlices slices) {
    bridged.sendGathered(request, routing.backend(request), slices);
  }

  /** Answers with the only failure status, and discards the rest of the body. */
  private void refuse(BinaryRequest request) {
    ByteBuf reply = failure(request.packet.opcode(), request.packet.opaque());
    answer(request, request.command(), Outcome.REJECTED, reply);
  }

  private void answer(BinaryRequest request, Command command, Outcome outcome, ByteBuf reply) {
    BinaryRequest.Owner owner = request.owner();
    long rest = request.rest();
    owner.packetDone(request, 0);
    owner.discard(rest, command, outcome, reply);
  }

  @Override
  public ByteBuf failureReply(PendingReply pending, String reason) {
    return failure(pending.opcode(), pending.opaque());
  }

  private ByteBuf failure(int opcode, int opaque) {
    ByteBuf reply = loop.buffer(ResponseEncoder.headLength(opcode));
    writer.failure(opcode, opaque, reply);
    return reply;
  }
}
