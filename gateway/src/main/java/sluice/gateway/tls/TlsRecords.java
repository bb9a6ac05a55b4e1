package sluice.gateway.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;
import sluice.gateway.loop.Loop;

/**
 * Netty's TLS handler, with a count of the bytes of an incomplete record.
 *
 * <p>Netty keeps the buffer that a record was begun in until its end has come. That may be a whole
 * read buffer for a few bytes, which are all that is counted, and a peer may never send the rest.
 * So a small beginning is copied.
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

  private int headerRead; // bytes of the next header that have come
  private int length; // of the next record, as far as its header has come
  private int left; // bytes of the current record that are to come

  TlsRecords(SSLEngine engine, long handshakeMillis) {
    super(engine);
    setHandshakeTimeoutMillis(handshakeMillis);
    // The connections limit how long a peer may take to read the rest: Netty's own limit would cut
    // that short.
    setCloseNotifyFlushTimeoutMillis(0);
  }

  /** Bytes received and not decrypted yet: less than one record, which has at most 16 KiB. */
  int heldBytes() {
    return internalBuffer().readableBytes();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    if (!(message instanceof ByteBuf read)) {
      super.channelRead(ctx, message);
      return;
    }
    int begun = begun(read);
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
      goesOn = !ctx.isRemoved();
    } finally {
      if (!goesOn) {
        beginning.release();
      }
    }
    if (goesOn) {
      super.channelRead(ctx, beginning);
    }
  }

  /** Bytes at the end of read in which a record begins that does not end there. */
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
