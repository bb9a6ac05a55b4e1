package sluice.gateway.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import sluice.gateway.loop.Loop;

/**
 * Netty's TLS handler, with a count of the bytes that a peer makes it keep, and a bound for them.
 *
 * <p>Netty keeps the buffer that a record was begun in until its end has come. That may be a whole
 * read buffer for a few bytes, which are all that is counted, and a peer may never send the rest.
 * So a small beginning is copied.
 *
 * <p>Java keeps the records of an incomplete handshake message on the heap, up to 32 KiB, and
 * copies all of them for each record that is added. Also after the handshake, a peer can begin such
 * a message. So what a peer sends without an effect is counted, and bounded.
 *
 * <pre>
 *  type  version  length n
 * +-----+--------+---------+---------+   RFC 8446, 5.1
 * | 1   | 2      | 2       | n bytes |
 * +-----+--------+---------+---------+
 * </pre>
 */
final class TlsRecords extends SslHandler {
  private static final int HEADER = 5;
  private static final int LENGTH = 3;
  private static final int HANDSHAKE = 22; // type of a record, RFC 8446, 5.1

  /** Most bytes of a handshake: certificates, and twice the longest message that Java takes. */
  private static final int MOST_BYTES = 64 * 1024;

  /** The longest message of a handshake that Java accepts, and the heads of its records. */
  private static final int MOST_KEPT = 33 * 1024;

  /**
   * Most bytes of complete records in a row that a client sends after the handshake without data.
   * There is nothing else to send but new keys, in messages of 5 bytes.
   */
  private static final int MOST_BYTES_AFTERWARDS = 4 * 1024;

  /** Most handshake records. They need not be that many: a record takes 16 KiB. */
  private static final int MOST_HANDSHAKE_RECORDS = 200;

  private final boolean isAccepted;
  private int received; // bytes without an effect so far
  private int handshakeRecords; // among them, not encrypted
  private boolean shaken;
  private boolean over; // nothing that comes is read any more
  private int headerRead; // bytes of the next header that have come
  private int length; // of the next record, as far as its header has come
  private int left; // bytes of the current record that are to come

  TlsRecords(SSLEngine engine, long handshakeMillis) {
    super(engine);
    isAccepted = !engine.getUseClientMode();
    setHandshakeTimeoutMillis(handshakeMillis);
    // The connections limit how long a peer may take to read the rest: Netty's own limit would cut
    // that short.
    setCloseNotifyFlushTimeoutMillis(0);
  }

  /**
   * Bytes that are kept for the peer: those of an incomplete record, which has at most 16 KiB, or
   * all that it has sent without an effect, of which Java keeps one message.
   */
  int heldBytes() {
    return Math.max(Math.min(received, MOST_KEPT), begunBytes());
  }

  /** Bytes of a record that has begun and not ended, or is decrypted now. */
  int begunBytes() {
    return internalBuffer().readableBytes();
  }

  /** The handshake is done. */
  void shaken() {
    shaken = true;
    dataCame();
  }

  /**
   * The peer has announced its end: what it sends behind that is dropped (RFC 8446, 6.1). Java
   * takes none of it, and Netty would keep all of it.
   */
  void peerEnded() {
    over = true;
    received = 0;
    ByteBuf rest = internalBuffer();
    rest.skipBytes(rest.readableBytes());
  }

  /** Bytes of the peer were decrypted. */
  void dataCame() {
    received = 0;
    handshakeRecords = 0;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    if (!(message instanceof ByteBuf read)) {
      super.channelRead(ctx, message);
      return;
    }
    if (over) {
      read.release();
      return;
    }
    received += read.readableBytes();
    int begun = begun(read);
    if (handshakeRecords > MOST_HANDSHAKE_RECORDS) {
      read.release(); // one read may have thousands, which would take long
      refuse(ctx);
      return;
    }
    decrypt(ctx, read, begun);
    if (isTooMuch() && !ctx.isRemoved()) {
      refuse(ctx);
    }
  }

  private boolean isTooMuch() {
    int most = shaken && isAccepted ? MOST_BYTES_AFTERWARDS : MOST_BYTES;
    return received > most && received - begunBytes() > most;
  }

  private void refuse(ChannelHandlerContext ctx) {
    over = true;
    String reason =
        "it sent %d bytes and %d handshake records, but no data"
            .formatted(received, handshakeRecords);
    ctx.fireExceptionCaught(new DecoderException(new SSLException(reason)));
  }

  /**
   * Passes read on to be decrypted. Consumes read.
   *
   * @param begun how many of its last bytes begin a record that does not end there
   */
  private void decrypt(ChannelHandlerContext ctx, ByteBuf read, int begun) throws Exception {
    if (begun == 0 || !Loop.isSmallPartOf(read, begun)) {
      super.channelRead(ctx, read);
      return;
    }
    ByteBuf beginning = ctx.alloc().buffer(begun, begun);
    read.getBytes(read.writerIndex() - begun, beginning);
    read.writerIndex(read.writerIndex() - begun);
    boolean goesOn = false;
    try {
      if (read.isReadable()) {
        super.channelRead(ctx, read);
      } else {
        read.release();
      }
      goesOn = !ctx.isRemoved() && !over;
    } finally {
      if (!goesOn) {
        beginning.release();
      }
    }
    if (goesOn) {
      super.channelRead(ctx, beginning);
    }
  }

  /**
   * Bytes at the end of read in which a record begins that does not end there. Counts handshake
   * records.
   */
  private int begun(ByteBuf read) {
    int end = read.writerIndex();
    int start = end; // of the last record that begins here
    int at = read.readerIndex();
    while (at < end) {
      if (left > 0) {
        int here = Math.min(left, end - at);
        left -= here;
        at += here;
        continue;
      }
      if (headerRead == 0) {
        start = at;
        length = 0;
        handshakeRecords += read.getByte(at) == HANDSHAKE ? 1 : 0;
      }
      if (headerRead >= LENGTH) {
        length = length << Byte.SIZE | (read.getByte(at) & 0xFF);
      }
      at++;
      if (++headerRead == HEADER) {
        headerRead = 0;
        left = length;
      }
    }
    return left > 0 || headerRead > 0 ? end - start : 0;
  }
}
