package sluice.gateway.internode;

import org.jspecify.annotations.Nullable;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Reframer;
import sluice.codecs.internode.address.MessageRewriter;
import sluice.gateway.metrics.InternodeMetrics;

/** Metrics of a link's frames: the work of its reframer and rewriter since the last count. */
final class FrameCounts {
  private final InternodeMetrics metrics;
  private final Framing from;
  private final Framing to;

  @SuppressWarnings("NullAway.Init") // set by begin, which comes first
  private Reframer reframer;

  private @Nullable MessageRewriter rewriter; // null: addresses stay
  private long framesRead;
  private long framesWritten;
  private long framesDropped;
  private long unparsed;
  private long notRead;
  private boolean dropped;
  private boolean unread;

  /** Counts of frames that come in one framing and leave in another. */
  FrameCounts(InternodeMetrics metrics, Framing from, Framing to) {
    this.metrics = metrics;
    this.from = from;
    this.to = to;
  }

  /** Begins to count the work of these two, which must be new. */
  void begin(Reframer reframer, @Nullable MessageRewriter rewriter) {
    this.reframer = reframer;
    this.rewriter = rewriter;
    framesRead = 0;
    framesWritten = 0;
    framesDropped = 0;
    unparsed = 0;
    notRead = 0;
  }

  /** Counts the work since the last count, and its bytes. */
  void count(long bytesRead, long bytesWritten) {
    metrics.framesRead(from, reframer.framesRead() - framesRead, bytesRead);
    framesRead = reframer.framesRead();
    metrics.framesWritten(to, reframer.framesWritten() - framesWritten, bytesWritten);
    framesWritten = reframer.framesWritten();
    if (reframer.droppedFrames() > framesDropped) {
      metrics.framesDropped(reframer.droppedFrames() - framesDropped);
      framesDropped = reframer.droppedFrames();
      dropped = true;
    }
    if (rewriter != null) {
      countUnread(rewriter);
    }
  }

  private void countUnread(MessageRewriter rewriter) {
    if (rewriter.unparsed() > unparsed) {
      metrics.addressesUnparsed(rewriter.unparsed() - unparsed);
      unparsed = rewriter.unparsed();
      unread = true;
    }
    if (rewriter.notRead() > notRead) {
      metrics.addressesNotRead(rewriter.notRead() - notRead);
      notRead = rewriter.notRead();
    }
  }

  /** Whether a corrupt frame was dropped so far. */
  boolean hasDropped() {
    return dropped;
  }

  /** Whether addresses could not be read so far, and so were not replaced. */
  boolean hasUnread() {
    return unread;
  }
}
