package sluice.codecs.internode.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageParams;
import sluice.codecs.internode.MessageReplacer;
import sluice.codecs.internode.Vint;
import sluice.names.Verb;

/**
 * Rewriter of the addresses in whole messages of one version, 12 to 14: in the params RESPOND_TO
 * and FORWARD_TO, and in payloads that carry addresses. It adapts the lengths of enclosing fields.
 *
 * <p>{@link #rewrite} reads a message, then {@link #write} hands out the new one: new bytes, and
 * slices of unchanged bytes. The message itself is never written to, because other holders may
 * share its bytes. This also applies to a message whose length stays the same: the few bytes around
 * each address are copied, the rest is sliced.
 *
 * <p>One instance for each direction of a link, used again and again. In steady state it allocates
 * nothing on the heap.
 */
public final class MessageRewriter implements MessageReplacer {
  private final int version;
  private final Slices slices = new Slices();
  private final MessageHeader header = new MessageHeader();
  private final Splices head = new Splices(); // in the params and the payload's length
  private final Splices body = new Splices(); // in the payload
  private final Fields headFields;
  private final Fields bodyFields;

  private ByteBuf message = Unpooled.EMPTY_BUFFER;
  private int start;
  private int end;
  private int newLength;
  private long unparsed;
  private long notRead;

  /**
   * A rewriter of one direction's messages.
   *
   * @param version as negotiated, 12 or later
   */
  public MessageRewriter(AddressMap map, int version) {
    this.version = version;
    headFields = new Fields(map, head);
    bodyFields = new Fields(map, body);
  }

  /**
   * Whether a message may contain addresses; any other need not be complete to pass. The payload
   * may be missing. Borrows the header.
   */
  @Override
  public boolean concerns(MessageHeader header) {
    if (header.payloadLength() > 0
        && Payloads.kind(Verb.of(header.verb()), version) != Payloads.Kind.WITHOUT) {
      return true;
    }
    MessageParams params = header.params();
    while (params.next()) {
      if (namesNodes(params)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Reads the message in the given range of a buffer. Borrows the buffer until this method returns
   * false, or else until {@link #write} returns.
   *
   * @param length of header and payload, in bytes
   * @return whether the message changes; if not, it must pass unchanged
   * @throws ProtocolException if the range is not one message. A payload or param that does not
   *     parse is no error: it stays unchanged, see {@link #unparsed}
   */
  @Override
  public boolean rewrite(ByteBuf message, int index, int length) {
    if (!header.parse(message, index, index + length, version)
        || header.messageLength() != length) {
      throw new ProtocolException("%d bytes are not exactly one message".formatted(length));
    }
    this.message = message;
    start = index;
    end = index + length;
    head.clear();
    body.clear();
    if (header.paramCount() > 0) {
      params();
    }
    if (header.payloadLength() > 0) {
      payload();
    }
    newLength = length + head.growth() + body.growth();
    return head.count() + body.count() > 0;
  }

  private static boolean namesNodes(MessageParams param) {
    return param.type() == MessageHeader.FORWARD_TO || param.type() == MessageHeader.RESPOND_TO;
  }

  private void params() {
    MessageParams params = header.params();
    int typeIndex = header.paramsIndex();
    while (params.next()) {
      int index = params.index();
      int length = params.length();
      long type = params.type();
      if (namesNodes(params)) {
        int lengthIndex = typeIndex + Vint.lengthOf(message.getByte(typeIndex));
        readParam(bodyFields.wrap(message, index, index + length), type);
        int growth = body.growth();
        // A param is replaced as a whole, together with the length before it.
        boolean hasRoom = head.hasRoom(body.count() + 1);
        body.clear();
        if (!bodyFields.isDone() || !hasRoom) {
          unparsed++;
        } else {
          if (growth != 0) {
            length(lengthIndex, index, length + growth);
          }
          readParam(headFields.wrap(message, index, index + length), type);
        }
      }
      typeIndex = index + length;
    }
  }

  private static void readParam(Fields fields, long type) {
    if (type == MessageHeader.RESPOND_TO) {
      fields.address();
      return;
    }
    for (long left = fields.vint(); left != 0 && fields.isGood(); left--) {
      fields.address();
      fields.vint(); // id of the forwarded message
    }
  }

  private void payload() {
    Verb verb = Verb.of(header.verb());
    switch (Payloads.kind(verb, version)) {
      case WITHOUT -> {}
      case NOT_READ -> notRead++;
      case READ -> {
        Payloads.read(bodyFields.wrap(message, header.payloadIndex(), end), verb, version);
        if (!bodyFields.isDone()) {
          body.clear();
          unparsed++;
        } else if (body.growth() != 0) {
          length(header.paramsEnd(), header.payloadIndex(), header.payloadLength() + body.growth());
        }
      }
    }
  }

  /** Replaces a length that lies between two indexes. */
  private void length(int from, int to, long length) {
    Vint.write(head.begin(from, to - from), length);
    head.end();
  }

  /** Length of the new message in bytes, if {@link #rewrite} returned true. */
  @Override
  public int length() {
    return newLength;
  }

  /**
   * Passes on the new message: new bytes, and slices of long unchanged parts. Borrows the original
   * message; the slices retain its buffer.
   *
   * @param sink consumes {@link #length} bytes, in one or more buffers
   */
  @Override
  public void write(ByteBufAllocator allocator, ByteSink sink) {
    int copied = copiedBytes();
    ByteBuf out = allocator.directBuffer(copied, copied);
    try {
      int at = write(head, start, out, sink);
      at = write(body, at, out, sink);
      unchanged(at, end, out, sink);
      handOut(out, sink);
    } finally {
      out.release();
      message = Unpooled.EMPTY_BUFFER;
      head.clear();
      body.clear();
    }
  }

  private int write(Splices splices, int from, ByteBuf out, ByteSink sink) {
    int at = from;
    for (int i = 0; i < splices.count(); i++) {
      unchanged(at, splices.offset(i), out, sink);
      splices.writeNew(i, out);
      at = splices.offset(i) + splices.length(i);
    }
    return at;
  }

  private void unchanged(int from, int to, ByteBuf out, ByteSink sink) {
    if (SliceList.isCopied(to - from)) {
      Bytes.append(message, from, to - from, out);
      return;
    }
    handOut(out, sink);
    sink.accept(slices.take(message, from, to - from));
  }

  private void handOut(ByteBuf out, ByteSink sink) {
    if (out.isReadable()) {
      sink.accept(slices.takeNext(out, out.readableBytes()));
    }
  }

  private int copiedBytes() {
    int at = start;
    int sliced = 0;
    for (int i = 0; i < head.count() + body.count(); i++) {
      Splices splices = i < head.count() ? head : body;
      int splice = i < head.count() ? i : i - head.count();
      sliced += sliced(splices.offset(splice) - at);
      at = splices.offset(splice) + splices.length(splice);
    }
    return newLength - sliced - sliced(end - at);
  }

  private static int sliced(int unchanged) {
    return SliceList.isCopied(unchanged) ? 0 : unchanged;
  }

  /**
   * Number of payloads and params that should contain addresses, but did not parse to their exact
   * end, were ambiguous or had too many addresses to replace. They stayed unchanged.
   */
  public long unparsed() {
    return unparsed;
  }

  /**
   * Number of payloads that may contain addresses, but whose verbs are not read. They stayed
   * unchanged.
   */
  public long notRead() {
    return notRead;
  }
}
