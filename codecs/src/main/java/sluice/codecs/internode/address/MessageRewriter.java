package sluice.codecs.internode.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.Slices;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageReplacer;
import sluice.codecs.internode.Vint;
import sluice.names.Verb;

/**
 * Replaces the addresses in whole messages of one version, 12 to 14: in the params RESPOND_TO and
 * FORWARD_TO, and in the payloads that have some. Lengths that enclose an address change with it.
 *
 * <p>First {@link #rewrite} looks at a message, then {@link #write} hands out the new one: new
 * bytes, and slices of what stays. The message itself is never written to, so others may hold its
 * bytes. What it does with a message whose length stays is the same: a copy of the few bytes around
 * each address, and slices.
 *
 * <p>One instance for each direction of a link, used again and again. In steady state it allocates
 * nothing on the heap.
 */
public final class MessageRewriter implements MessageReplacer {
  /** Unchanged bytes are copied if they are fewer than this in a row. */
  private static final int SLICED_FROM = 1024;

  private final int version;
  private final Slices slices = new Slices();
  private final MessageHeader header = new MessageHeader();
  private final Splices head = new Splices(); // of params, and of the payload's length
  private final Splices body = new Splices(); // of the payload
  private final Fields headFields;
  private final Fields bodyFields;

  private ByteBuf message;
  private int start;
  private int end;
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
   * Whether there may be addresses in a message: the others need not be whole to be passed on. Of
   * the payload nothing need be there. Borrows the header, whose params are rewound.
   */
  @Override
  public boolean concerns(MessageHeader header) {
    if (header.payloadLength() > 0
        && Payloads.kind(Verb.of(header.verb()), version) != Payloads.Kind.WITHOUT) {
      return true;
    }
    boolean concerned = false;
    header.rewindParams();
    while (!concerned && header.nextParam()) {
      concerned =
          header.paramType() == MessageHeader.FORWARD_TO
              || header.paramType() == MessageHeader.RESPOND_TO;
    }
    header.rewindParams();
    return concerned;
  }

  /**
   * Looks at the message that is the given range of a buffer. Borrows the buffer, until after
   * {@link #write} if that is called.
   *
   * @param length of header and payload, in bytes
   * @return whether it changes; if not, it is to be passed on as it is
   * @throws ProtocolException if the range is not one message. A payload or param that does not
   *     parse is no error: it stays as it is, see {@link #unparsed}
   */
  @Override
  public boolean rewrite(ByteBuf message, int index, int length) {
    if (!header.parse(message, index, index + length, version)
        || header.messageLength() != length) {
      throw new ProtocolException("%d bytes that are not one message".formatted(length));
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
    return head.count() + body.count() > 0;
  }

  private void params() {
    int typeIndex = header.paramsIndex();
    while (header.nextParam()) {
      int index = header.paramIndex();
      int length = header.paramLength();
      long type = header.paramType();
      if (type == MessageHeader.FORWARD_TO || type == MessageHeader.RESPOND_TO) {
        int lengthIndex = typeIndex + Vint.lengthOf(message.getByte(typeIndex));
        readParam(bodyFields.wrap(message, index, index + length), type);
        int growth = body.growth();
        body.clear();
        if (!bodyFields.isDone()) {
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
      fields.vint(); // id of the message that it forwards
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

  /** Bytes of the message that {@link #rewrite} said changes, as it will be. */
  @Override
  public int length() {
    return end - start + head.growth() + body.growth();
  }

  /**
   * Hands out the message that {@link #rewrite} said changes: new bytes, and slices of what is
   * unchanged and long. Borrows the message that was looked at, of which the slices hold on to what
   * they are of.
   *
   * @param sink consumes {@link #length} bytes, in one or more pieces
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
      message = null;
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
    if (to - from < SLICED_FROM) {
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
    return length() - sliced - sliced(end - at);
  }

  private static int sliced(int unchanged) {
    return unchanged < SLICED_FROM ? 0 : unchanged;
  }

  /**
   * Payloads and params that ought to have addresses and did not parse to their exact end, or could
   * be read in two ways. They were left as they are.
   */
  public long unparsed() {
    return unparsed;
  }

  /** Payloads that may have addresses, of verbs that are not read. They were left as they are. */
  public long notRead() {
    return notRead;
  }
}
