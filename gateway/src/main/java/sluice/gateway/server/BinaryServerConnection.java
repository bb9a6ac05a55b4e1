package sluice.gateway.server;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.metrics.Outcome;

/** A server's connection in the binary protocol. */
public final class BinaryServerConnection extends ServerConnection {
  private static final int MAX_HEAD = 64 * 1024; // with a statistic in it

  private final BinaryProbe probe;

  /** The part of a header that came with an earlier read; null if none. */
  private ByteBuf carry;

  private int remaining; // of the body
  private boolean skips;
  private boolean lastPacket;
  private boolean insideReply;
  private boolean insideValue; // of a bridged reply: the body is a value

  /** One with a socket. */
  BinaryServerConnection(Owner server) {
    this(server, null);
  }

  /** One with a pipe to another event loop's connection; with a socket, if guest is null. */
  BinaryServerConnection(Owner server, Pipe guest) {
    super(server, guest);
    probe = new BinaryProbe(new ProbedConnection(), context);
  }

  // --- probe --------------------------------------------------------------------------------

  @Override
  protected void sendProbe() {
    probe.send();
  }

  @Override
  protected boolean probe(ByteBuf bytes) {
    return probe.read(bytes);
  }

  @Override
  protected void writePing(Exchange ping) {
    ping.binary(Opcode.NOOP, 0);
    ping.wireOpaque(nextOpaque());
    ByteBuf noop = loop.buffer(BinaryHeader.LENGTH);
    noop.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(Opcode.NOOP).writeZero(22);
    BinaryHeader.setOpaque(noop, 0, ping.wireOpaque());
    write(noop);
  }

  // --- replies ------------------------------------------------------------------------------

  @Override
  protected boolean isInsideReply() {
    return insideReply || remaining > 0 || carry != null;
  }

  @Override
  protected boolean isInsideValue() {
    return isInsideReply();
  }

  @Override
  protected int consume(ByteBuf in, int position, int end, Exchange exchange) {
    if (remaining > 0) {
      int next = (int) Math.min(end, (long) position + remaining);
      remaining -= next - position;
      if (!skips) {
        take(position, next);
      }
      if (remaining == 0) {
        bodyComplete(exchange);
      }
      return next;
    }
    if (carry == null) {
      int head = headLength(in, position, end, exchange);
      if (end - position >= head) {
        head(in, position, head, exchange, false);
        return position + head;
      }
      carry = loop.buffer(head);
    }
    int wanted = headLength(carry, 0, carry.writerIndex(), exchange);
    int next = Math.min(end, position + wanted - carry.writerIndex());
    carry.writeBytes(in, position, next - position);
    int length = carry.writerIndex();
    if (length == headLength(carry, 0, length, exchange)) {
      ByteBuf head = carry;
      carry = null;
      try {
        head(head, 0, length, exchange, true);
      } finally {
        head.release();
      }
    }
    return next;
  }

  /**
   * What must lie together to be read: the header; with a key to be rewritten, up to that key's
   * end.
   */
  private int headLength(ByteBuf in, int at, int end, Exchange exchange) {
    if (exchange.grammar() == Grammar.BRIDGED) {
      return bridgedHeadLength(in, at, end, exchange);
    }
    if (exchange.rewrite() == null || end - at < BinaryHeader.LENGTH) {
      return BinaryHeader.LENGTH;
    }
    return BinaryHeader.LENGTH + BinaryHeader.extrasLength(in, at) + BinaryHeader.keyLength(in, at);
  }

  private int bridgedHeadLength(ByteBuf in, int at, int end, Exchange exchange) {
    long length =
        exchange.bridged().reader().headLength(in, at, end - at, exchange.bridged().awaited());
    if (length > MAX_HEAD) {
      throw context.unexpected(in, at, at + BinaryHeader.LENGTH, exchange);
    }
    return (int) length;
  }

  private void bridgedHead(ByteBuf in, int at, int length, Exchange exchange, boolean carried) {
    int value = bridged().unit(in, at, at + length, exchange);
    long rest = BinaryHeader.LENGTH + BinaryHeader.bodyLength(in, at) - length;
    if (value == BridgedReply.NO_REPLY || rest > Integer.MAX_VALUE || rest < Math.max(0, value)) {
      throw context.unexpected(in, at, at + BinaryHeader.LENGTH, exchange);
    }
    insideValue = value != BridgedReply.NO_VALUE;
    if (insideValue) {
      reports.valueRead(exchange, value);
    }
    remaining = (int) rest;
    if (exchange.isForeign()) {
      skips = exchange.requester() == null;
      takeHead(in, at, length, exchange, carried);
    } else {
      skips = !insideValue || bridged().dropsValue();
    }
    if (remaining == 0) {
      bodyComplete(exchange);
    }
  }

  private void bodyComplete(Exchange exchange) {
    if (exchange.grammar() == Grammar.BRIDGED) {
      if (insideValue) {
        bridged().valueEnds(exchange);
      }
      lastPacket = bridged().isWhole();
    }
    packetComplete(exchange);
  }

  private void head(ByteBuf in, int at, int length, Exchange exchange, boolean carried) {
    if (exchange.grammar() == Grammar.BRIDGED) {
      bridgedHead(in, at, length, exchange, carried);
      return;
    }
    long body = BinaryHeader.bodyLength(in, at);
    if (BinaryHeader.magic(in, at) != BinaryHeader.RESPONSE_MAGIC
        || BinaryHeader.opcode(in, at) != Opcode.loud(exchange.opcode())
        || BinaryHeader.opaque(in, at) != exchange.wireOpaque()
        || body > Integer.MAX_VALUE
        || BinaryHeader.keyLength(in, at) + BinaryHeader.extrasLength(in, at) > body) {
      throw new ProtocolException(
          "server "
              + context.name()
              + " broke the protocol: found "
              + Excerpt.of(in, at, at + BinaryHeader.LENGTH)
              + ", expected the reply to opcode "
              + exchange.opcode()
              + " with opaque "
              + exchange.wireOpaque());
    }
    int status = BinaryHeader.status(in, at);
    if (status != Opcode.STATUS_OK) {
      exchange.outcome(status == Opcode.STATUS_NOT_FOUND ? Outcome.MISS : Outcome.ERROR);
    }
    if (status == Opcode.STATUS_OK && exchange.command().isRead()) {
      reports.valueRead(
          exchange,
          (int) body - BinaryHeader.keyLength(in, at) - BinaryHeader.extrasLength(in, at));
    }
    boolean hidden =
        switch (exchange.hides()) {
          case Exchange.HIDE_MISS -> status == Opcode.STATUS_NOT_FOUND;
          case Exchange.HIDE_SUCCESS -> status == Opcode.STATUS_OK;
          case Exchange.HIDE_ALL -> true;
          default -> false;
        };
    skips = hidden || exchange.requester() == null;
    lastPacket =
        exchange.grammar() == Grammar.PACKET
            || status != Opcode.STATUS_OK
            || BinaryHeader.keyLength(in, at) == 0;
    if (!exchange.isForeign()) {
      BinaryHeader.setOpcode(in, at, exchange.opcode());
      BinaryHeader.setOpaque(in, at, exchange.opaque());
    }
    remaining = (int) body - (length - BinaryHeader.LENGTH);
    if (!skips) {
      if (exchange.rewrite() != null && BinaryHeader.keyLength(in, at) > 0) {
        take(exchange, withClientKey(in, at, exchange.rewrite()));
      } else {
        takeHead(in, at, length, exchange, carried);
      }
    }
    if (remaining == 0) {
      packetComplete(exchange);
    }
  }

  private void takeHead(ByteBuf in, int at, int length, Exchange exchange, boolean carried) {
    if (skips) {
      return;
    }
    if (carried) {
      take(exchange, loop.slice(in, at, length));
    } else {
      take(at, at + length);
    }
  }

  private ByteBuf withClientKey(ByteBuf in, int at, KeyRewrite rewrite) {
    int keyStart = BinaryHeader.keyStart(in, at);
    int keyEnd = keyStart + BinaryHeader.keyLength(in, at);
    if (!rewrite.fitsBack(in, keyStart, keyEnd)) {
      return loop.slice(in, at, keyEnd - at);
    }
    ByteBuf head = loop.buffer(keyEnd - at + rewrite.mostAdded());
    head.writeBytes(in, at, keyStart - at);
    rewrite.toClient(in, keyStart, keyEnd, head);
    int longer = head.writerIndex() - (keyEnd - at);
    head.setShort(2, keyEnd - keyStart + longer);
    return head.setInt(8, (int) BinaryHeader.bodyLength(in, at) + longer);
  }

  private void packetComplete(Exchange exchange) {
    insideReply = !lastPacket;
    if (lastPacket) {
      finish(exchange);
    }
  }

  @Override
  protected ByteBuf carried() {
    return carry;
  }

  @Override
  protected void release() {
    probe.release();
    if (carry != null) {
      carry.release();
      carry = null;
    }
  }
}
