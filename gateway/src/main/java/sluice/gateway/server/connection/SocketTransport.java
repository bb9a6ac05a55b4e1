package sluice.gateway.server.connection;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.loop.IoUringTransport;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.protocol.Reports;

/** Socket of a server connection's own. It counts the bytes. */
public final class SocketTransport implements ServerTransport {
  private static final int LEAST_READ = 16 * 1024;
  private static final int MOST_READ = 64 * 1024;

  /** Reads per loop iteration, as long as each fills its buffer (ADR 0040). */
  private static final int READS = 8;

  /**
   * Bytes for a shared socket of io_uring from which further requests wait. There, all bytes of an
   * iteration are pending until its end: with Netty's 64 KiB, most of 1,000 clients with 16 small
   * requests each had to wait, and be parsed again, several times. Pending bytes count as buffered.
   * Large values, which have an exclusive socket, gain nothing (ADR 0040).
   *
   * <p>Epoll takes bytes at once. What it does not take should wait with the clients: a request's
   * timeout begins when it is sent, so with more pending bytes a burst may time out.
   */
  private static final WriteBufferWaterMark PENDING =
      new WriteBufferWaterMark(256 * 1024, 512 * 1024);

  private final Reports reports;
  private long bytesReported;

  /**
   * @param reports receives the counts
   */
  public SocketTransport(Reports reports) {
    this.reports = reports;
  }

  @Override
  public boolean isSocket() {
    return true;
  }

  @Override
  public void opened(Channel channel, boolean exclusive) {
    // Replies of many clients come at once: one read should take them all.
    channel
        .config()
        .setRecvByteBufAllocator(
            new AdaptiveRecvByteBufAllocator(LEAST_READ, MOST_READ / 2, MOST_READ)
                .maxMessagesPerRead(READS));
    if (!exclusive && IoUringTransport.has(channel)) {
      channel.config().setWriteBufferWaterMark(PENDING);
    }
  }

  @Override
  public boolean isProbed() {
    return true;
  }

  @Override
  public @Nullable ServerVersion version() {
    return null;
  }

  @Override
  public boolean gathersRequests() {
    return true;
  }

  @Override
  public int firstOpaque() {
    return 0;
  }

  @Override
  public void bytesRead(int bytes) {
    reports.bytesIn(bytes);
  }

  @Override
  public void flushed(RingQueue<ServerRequest> queue, int requests, long bytesWritten) {
    reports.bytesOut(bytesWritten - bytesReported);
    bytesReported = bytesWritten;
  }

  @Override
  public long heardAt(Loop loop) {
    return loop.now(); // the server has just accepted the socket
  }

  @Override
  public long ownerHeardAt() {
    return Long.MIN_VALUE;
  }

  @Override
  public boolean isHeldUp() {
    return false;
  }

  @Override
  public long heldUpNanos() {
    return 0;
  }

  @Override
  public void readingStops(boolean forClient) {
    // no other loop reads for it
  }

  @Override
  public void restRead() {
    // the socket's end does not wait for it
  }

  @Override
  public void poison(String reason) {
    // no other loop uses it
  }

  @Override
  public void keep() {
    // no other loop uses it
  }
}
