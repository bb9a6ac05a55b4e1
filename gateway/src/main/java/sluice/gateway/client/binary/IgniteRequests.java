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
import sluice.gateway.client.Pieces;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.route.Rule;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * What becomes of one packet of Apache Ignite's dialect. Whatever is about an item takes the
 * canonical form ({@link Backend}); what a node closes the connection for, closes it.
 */
public final class IgniteRequests implements BinaryClient.Packets {
  private static final ByteBuf DEFAULT_CACHE =
      Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("default", US_ASCII));

  private final BinaryClient client;
  private final Worker worker;
  private final Listening listening;
  private final BinaryPacket packet;
  private final BinaryRouting routing;
  private final BinaryOperations operations;
  private final BinaryBridged bridged;
  private final IgniteReplyWriter writer;
  private final IgniteRequest view = new IgniteRequest();

  public IgniteRequests(
      BinaryClient client, Worker worker, Dispatcher dispatcher, Listening listening) {
    this.client = client;
    this.worker = worker;
    this.listening = listening;
    packet = new BinaryPacket(true);
    writer = dispatcher.ignite();
    routing =
        new BinaryRouting(client, worker, listening, packet) {
          @Override
          ByteBuf reply(int status, String text) {
            return failure(packet.opcode(), packet.opaque()); // no other status, and no text
          }
        };
    operations = new BinaryOperations(client, worker, dispatcher, listening, routing, writer);
    bridged =
        new BinaryBridged(
            client,
            worker,
            dispatcher,
            routing,
            (in, at, request) -> IgniteRequestReader.read(in, view.wrap(in, at), request),
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
  public void packet(ByteBuf buffer, int from, int headEnd, ByteBuf in) {
    packet.wrap(buffer, from);
    try {
      view.wrap(buffer, from);
    } catch (ProtocolException e) {
      close(buffer, headEnd); // without a word, as a node does
      return;
    }
    switch (view.operation()) {
      case QUIT -> close(buffer, headEnd);
      case NOOP -> {
        ByteBuf reply = worker.loop().buffer(BinaryHeader.LENGTH);
        writer.success(view.opcode(), view.opaque(), reply);
        answer(Command.NOOP, Outcome.OK, reply, buffer, from, headEnd);
      }
      case VERSION, STAT, FLUSH -> {
        if (packet.isWellFormed()) {
          operations.everywhere(packet.command(), buffer, from, headEnd);
        } else {
          refuse(buffer, from, headEnd);
        }
      }
      default -> item(buffer, from, headEnd, in);
    }
  }

  private void close(ByteBuf buffer, int headEnd) {
    client.packetDone(buffer, headEnd);
    client.end();
  }

  private void item(ByteBuf buffer, int from, int headEnd, ByteBuf in) {
    if (!isKnown(buffer)) {
      refuse(buffer, from, headEnd);
      return;
    }
    Command command = packet.command();
    Rule rule = rule(command);
    KeyRewrite rewrite = rule == null ? null : rewriteOf(rule);
    if (rule == null
        || rule.reject() != null
        || isTooLong(rewrite)
        || client.isOver(listening.limiter(rule))) {
      refuse(buffer, from, headEnd);
      return;
    }
    Backend backend = backend(command, rule);
    int value = view.valueLength();
    if (value > 0) { // a request that stores nothing is none that stores
      client.writes(value);
    }
    if (value > listening.limits().itemSizeBytes()) {
      // As memcached does: the old value goes with the new one.
      if (command != Command.SET || bridged.delete(command, backend, rewrite)) {
        refuse(buffer, from, headEnd);
      }
      return;
    }
    boolean whole = value == 0 || (buffer == in && in.writerIndex() - headEnd >= value);
    bridged.packet(command, backend, rewrite, buffer, from, headEnd, value, whole);
  }

  /** Whether the request has a key that servers take, a cache that is here, and a value. */
  private boolean isKnown(ByteBuf buffer) {
    boolean named = view.cacheNameLength() > 0;
    boolean takesValue =
        view.operation() == IgniteOperation.STORE
            || view.operation() == IgniteOperation.CONCATENATE;
    return view.keyLength() > 0
        && view.keyLength() <= BinaryPacket.MAX_KEY
        && (!named || isDefault(buffer) || view.operation() == IgniteOperation.COUNT)
        && takesValue == view.valueLength() > 0;
  }

  private boolean isDefault(ByteBuf buffer) {
    int length = DEFAULT_CACHE.readableBytes();
    return view.cacheNameLength() == length
        && ByteBufUtil.equals(DEFAULT_CACHE, 0, buffer, view.cacheNameIndex(), length);
  }

  private Rule rule(Command command) {
    int key = packet.keyStart();
    return listening
        .route()
        .find(command, Dialect.BINARY, packet.buffer(), key, key + packet.keyLength(), null);
  }

  private Backend backend(Command command, Rule rule) {
    int key = packet.keyStart();
    routing.changes(command, rule);
    return listening.backend(
        rule, Dialect.BINARY, packet.buffer(), key, key + packet.keyLength(), worker.renamed());
  }

  private KeyRewrite rewriteOf(Rule rule) {
    KeyRewrite rewrite = rule.rewrite();
    int key = packet.keyStart();
    return rewrite != null && rewrite.fits(packet.buffer(), key, key + packet.keyLength())
        ? rewrite
        : null;
  }

  private boolean isTooLong(KeyRewrite rewrite) {
    return rewrite != null && rewrite.serverLength(packet.keyLength()) > BinaryPacket.MAX_KEY;
  }

  @Override
  public void gathered(ByteBuf head, Pieces pieces) {
    packet.wrap(head, 0);
    Command command = packet.command();
    Rule rule = rule(command);
    bridged.gathered(command, backend(command, rule), rewriteOf(rule), pieces);
  }

  /** Answers with the one status of failures, behind which what is left of the body goes by. */
  private void refuse(ByteBuf buffer, int from, int headEnd) {
    ByteBuf reply = failure(view.opcode(), view.opaque());
    answer(packet.command(), Outcome.REJECTED, reply, buffer, from, headEnd);
  }

  private void answer(
      Command command, Outcome outcome, ByteBuf reply, ByteBuf buffer, int from, int headEnd) {
    long rest = packet.body() - (headEnd - from - BinaryHeader.LENGTH);
    client.packetDone(buffer, headEnd);
    client.swallow(rest, command, outcome, reply, false);
  }

  @Override
  public ByteBuf failureReply(Exchange exchange, String reason) {
    return failure(exchange.opcode(), exchange.opaque());
  }

  private ByteBuf failure(int opcode, int opaque) {
    ByteBuf reply = worker.loop().buffer(ResponseEncoder.headLength(opcode));
    writer.failure(opcode, opaque, reply);
    return reply;
  }
}
