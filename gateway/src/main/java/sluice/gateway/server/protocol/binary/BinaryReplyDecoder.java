package sluice.gateway.server.protocol.binary;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.FieldReader;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.protocol.BridgedReply;
import sluice.gateway.server.protocol.Excerpt;
import sluice.gateway.server.protocol.RelayedReply;
import sluice.gateway.server.protocol.ReplyAssembler;
import sluice.gateway.server.protocol.ReplyDecoder;
import sluice.gateway.server.protocol.Reports;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.UnitReply;

/**
 * Decoder of the replies of a server that speaks the binary protocol.
 *
 * <pre>
 *   REPLY   a header                       BODY, DISCARDED_BODY; of a bridged reply VALUE,
 *                                          DISCARDED_VALUE, where the body is one
 *   PACKET  the same, behind the first
 *   BODY    its last byte                  REPLY behind the reply's last packet, else PACKET
 * </pre>
 */
final class BinaryReplyDecoder implements ReplyDecoder {
  private enum State {
    /** The next packet begins a reply. */
    REPLY,
    /** The next packet continues the first reply. */
    PACKET,
    /** The rest of a body is passed on. */
    BODY,
    /** The rest of a body is discarded. */
    DISCARDED_BODY,
    /** The value of a bridged reply, which is passed on. */
    VALUE,
    /** The value of a bridged reply, which is discarded. */
    DISCARDED_VALUE
  }

  private static final int MAX_HEAD = 64 * 1024; // for a packet with a statistic

  private final ReplyAssembler replies;
  private final ServerContext context;
  private final Reports reports;
  private final Loop loop;
  private final FieldReader fields = new FieldReader();
  private final RelayedReply relayed = new RelayedReply();
  private @Nullable BridgedReply bridged; // null until the first bridged request

  private State state = State.REPLY;
  private State behindBody = State.REPLY; // for a reply that is not bridged

  /** The part of a header from earlier reads; null if there is none. */
  private @Nullable ByteBuf carry;

  private int remaining; // bytes of the body

  /** A decoder that passes replies on. */
  BinaryReplyDecoder(ReplyAssembler replies, ServerContext context) {
    this.replies = replies;
    this.context = context;
    this.reports = context.reports();
    this.loop = context.loop();
  }

  @Override
  public boolean isInsideReply() {
    return state != State.REPLY || carry != null;
  }

  @Override
  public boolean isInsideValue() {
    return isInsideReply();
  }

  @Override
  public int decode(ByteBuf in, int position, int end, ServerRequest request) {
    return switch (state) {
      case REPLY, PACKET -> readHead(in, position, end, request);
      case BODY, VALUE, DISCARDED_BODY, DISCARDED_VALUE -> readBody(position, end, request);
    };
  }

  private int readBody(int position, int end, ServerRequest request) {
    int next = (int) Math.min(end, (long) position + remaining);
    remaining -= next - position;
    if (state == State.BODY || state == State.VALUE) {
      replies.take(position, next);
    }
    if (remaining == 0) {
      bodyComplete(request);
    }
    return next;
  }

  private int readHead(ByteBuf in, int position, int end, ServerRequest request) {
    if (carry == null) {
      int head = headLength(in, position, end, request);
      if (end - position >= head) {
        head(in, position, head, request);
        int body = position + head;
        return remaining > 0 && body < end ? readBody(body, end, request) : body;
      }
      carry = loop.buffer(head);
    }
    int wanted = headLength(carry, 0, carry.writerIndex(), request);
    int next = Math.min(end, position + wanted - carry.writerIndex());
    carry.writeBytes(in, position, next - position);
    int length = carry.writerIndex();
    if (length == headLength(carry, 0, length, request)) {
      ByteBuf head = carry;
      carry = null;
      try {
        head(head, 0, length, request);
      } finally {
        head.release();
      }
    }
    return next;
  }

  /** Bytes that must be contiguous: the header; if a key must be rewritten, also that key. */
  private int headLength(ByteBuf in, int at, int end, ServerRequest request) {
    if (request.kind() == ReplyKind.BRIDGED) {
      return bridgedHeadLength(in, at, end, request);
    }
    if (request.rewrite() == null || end - at < BinaryHeader.LENGTH) {
      return BinaryHeader.LENGTH;
    }
    return BinaryHeader.LENGTH + BinaryHeader.extrasLength(in, at) + BinaryHeader.keyLength(in, at);
  }

  @SuppressWarnings("NullAway") // a bridged request has a bridge, and that a reader
  private int bridgedHeadLength(ByteBuf in, int at, int end, ServerRequest request) {
    long length =
        request.bridged().reader().headLength(in, at, end - at, request.bridged().awaited());
    if (length > MAX_HEAD) {
      throw context.unexpected(in, at, at + BinaryHeader.LENGTH, request);
    }
    return (int) length;
  }

  private void bridgedHead(ByteBuf in, int at, int length, ServerRequest request) {
    UnitReply bridgedReply = bridged(request);
    int value = bridgedReply.unit(in, at, at + length, request);
    long rest = BinaryHeader.LENGTH + BinaryHeader.bodyLength(in, at) - length;
    if (value == UnitReply.NO_REPLY || rest > Integer.MAX_VALUE || rest < Math.max(0, value)) {
      throw context.unexpected(in, at, at + BinaryHeader.LENGTH, request);
    }
    boolean isValue = value != UnitReply.NO_VALUE;
    if (isValue) {
      reports.valueRead(request, value);
    }
    remaining = (int) rest;
    if (bridgedReply.isVerbatim()) {
      replies.take(request, in, at, at + length);
      state = ofBridged(isValue, true);
    } else {
      state = ofBridged(isValue, isValue && !bridgedReply.dropsValue());
    }
    if (remaining == 0) {
      bodyComplete(request);
    }
  }

  private static State ofBridged(boolean isValue, boolean handedOn) {
    if (isValue) {
      return handedOn ? State.VALUE : State.DISCARDED_VALUE;
    }
    return handedOn ? State.BODY : State.DISCARDED_BODY;
  }

  private void bodyComplete(ServerRequest request) {
    if (request.kind() == ReplyKind.BRIDGED) {
      if (state == State.VALUE || state == State.DISCARDED_VALUE) {
        bridged(request).valueEnds(request);
      }
      state = bridged(request).isWhole() ? State.REPLY : State.PACKET;
    } else {
      state = behindBody;
    }
    if (state == State.REPLY) {
      replies.finish(request);
    }
  }

  /** The reader of the reply to request, which is bridged. */
  private UnitReply bridged(ServerRequest request) {
    if (request.isRelayed()) {
      return relayed;
    }
    if (bridged == null) {
      bridged = new BridgedReply(replies);
    }
    return bridged;
  }

  private void head(ByteBuf in, int at, int length, ServerRequest request) {
    if (request.kind() == ReplyKind.BRIDGED) {
      bridgedHead(in, at, length, request);
      return;
    }
    fields.of(in, at, BinaryHeader.LENGTH);
    long body = BinaryHeader.bodyLength(fields);
    int keyLength = BinaryHeader.keyLength(fields);
    int extras = BinaryHeader.extrasLength(fields);
    if (BinaryHeader.magic(fields) != BinaryHeader.RESPONSE_MAGIC
        || BinaryHeader.opcode(fields) != Opcode.loud(request.opcode())
        || BinaryHeader.opaque(fields) != request.opaque()
        || body > Integer.MAX_VALUE
        || keyLength + extras > body) {
      throw new ProtocolException(
          "server "
              + context.name()
              + " broke the protocol: found "
              + Excerpt.of(in, at, at + BinaryHeader.LENGTH)
              + ", expected the reply to opcode "
              + request.opcode()
              + " with opaque "
              + request.opaque());
    }
    int status = BinaryHeader.status(fields);
    if (status != Opcode.STATUS_OK) {
      request.outcome(status == Opcode.STATUS_NOT_FOUND ? Outcome.MISS : Outcome.ERROR);
    }
    if (status == Opcode.STATUS_OK && request.command().isRead()) {
      reports.valueRead(request, (int) body - keyLength - extras);
    }
    boolean hidden =
        switch (request.suppression()) {
          case MISS -> status == Opcode.STATUS_NOT_FOUND;
          case SUCCESS -> status == Opcode.STATUS_OK;
          case ALL -> true;
          default -> false;
        };
    boolean handedOn = !hidden && request.isAwaited();
    state = handedOn ? State.BODY : State.DISCARDED_BODY;
    boolean last =
        request.kind() == ReplyKind.PACKET || status != Opcode.STATUS_OK || keyLength == 0;
    behindBody = last ? State.REPLY : State.PACKET;
    PendingReply reply = request.reply();
    if (reply != null) {
      BinaryHeader.setOpcode(in, at, reply.opcode());
      BinaryHeader.setOpaque(in, at, reply.opaque());
    }
    remaining = (int) body - (length - BinaryHeader.LENGTH);
    if (handedOn) {
      if (request.rewrite() != null && keyLength > 0) {
        replies.take(request, withClientKey(in, at, request.rewrite()));
      } else {
        replies.take(request, in, at, at + length);
      }
    }
    if (remaining == 0) {
      bodyComplete(request);
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

  @Override
  public @Nullable ByteBuf partialHead() {
    return carry;
  }

  @Override
  public void release() {
    if (carry != null) {
      carry.release();
      carry = null;
    }
  }
}
