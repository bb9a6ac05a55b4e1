package sluice.gateway.dispatch.policy;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.ResultCounters;
import sluice.gateway.metrics.ShadowResult;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.PendingReply.Requester;
import sluice.gateway.request.ReplyFingerprint;
import sluice.names.Command;

/**
 * Copies of a rule's requests for a shadow: its replies are compared with those of clients, counted
 * and dropped. One for each rule and event loop.
 */
public final class Shadows {
  private static final Logger LOG = LoggerFactory.getLogger(Shadows.class);

  /**
   * The most bytes of the shadow's replies that are held because their values must be processed as
   * a whole. Beyond it, requests are not copied, and such replies are dropped.
   */
  private static final long MOST_HELD = 4 << 20;

  /** The most requests that the shadow has not answered; beyond it, requests are not copied. */
  private static final int MOST_COPIES = 1024;

  private static final long LINES_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Fields that differ on two servers with the same items. */
  private static final int PARTICULAR =
      Request.CAS | Request.TTL | Request.HIT_BEFORE | Request.LAST_ACCESS;

  private final Loop loop;
  private final String pool;
  private final String shadow;
  private final ResultCounters<ShadowResult> metrics;
  private final Requester requester = new DetachedRequester(this::hold);
  private long held;
  private int copies; // that the shadow has not answered yet
  private long nextLine;
  private long unsaid;

  /**
   * The shadow of a pool.
   *
   * @param pool whose replies clients get
   * @param shadow the pool that gets copies
   */
  Shadows(Loop loop, String pool, String shadow) {
    this.loop = loop;
    this.pool = pool;
    this.shadow = shadow;
    this.metrics = loop.metrics().shadow(shadow);
    this.nextLine = loop.now();
  }

  /** Whether another request may be copied. */
  boolean hasRoom() {
    return copies < MOST_COPIES && mayHold();
  }

  private boolean mayHold() {
    return held < MOST_HELD && !loop.memory().isTight();
  }

  /** A copy is sent to the shadow. */
  public void begins() {
    copies++;
  }

  /** The shadow has answered a copy, or is gone. */
  public void ends() {
    copies--;
  }

  /** A request was not copied. */
  public void skipped() {
    metrics.count(ShadowResult.SKIPPED);
  }

  /** Whether two servers with the same items would answer a request with the same bytes. */
  public static boolean isComparable(Request request) {
    return !request.wants(PARTICULAR);
  }

  /**
   * The comparison of one request's replies.
   *
   * @param binary whether the replies are packets
   * @param comparable whether more than the outcome is compared
   */
  public Comparison begin(Command command, boolean binary, boolean comparable) {
    return new Comparison(command, binary, comparable);
  }

  /** Requester of the shadow's replies. */
  Requester requester() {
    return requester;
  }

  private void hold(long delta) {
    held += delta;
    loop.buffered(delta);
  }

  private void differs(Command command) {
    metrics.count(ShadowResult.DIFFERENT);
    if (loop.now() - nextLine < 0) {
      unsaid++;
      return;
    }
    LOG.info(
        "pool {}: its shadow {} answered a {} differently{}",
        pool,
        shadow,
        command.label(),
        unsaid == 0 ? "" : ", and " + unsaid + " others before it");
    unsaid = 0;
    nextLine = loop.now() + LINES_NANOS;
  }

  /**
   * The comparison of the replies to one request. It keeps fingerprints of them, and none of the
   * bytes of the shadow's: however fast that is, and however late clients read, it takes no memory.
   */
  public final class Comparison {
    private final Command command;
    private final boolean binary;
    private final boolean comparable;
    private final ReplyFingerprint ofShadow;
    private @Nullable Outcome answer; // its outcome; null while there is none
    private long fingerprint;

    private Comparison(Command command, boolean binary, boolean comparable) {
      this.command = command;
      this.binary = binary;
      this.comparable = comparable;
      ofShadow = new ReplyFingerprint(binary);
    }

    /** The client's reply. Borrows pending reply. */
    public void answered(PendingReply pending) {
      answer = pending.outcome();
      if (comparable) {
        ReplyFingerprint whole = new ReplyFingerprint(binary);
        whole.addHeld(pending);
        fingerprint = whole.value();
      }
    }

    /**
     * More of the shadow's reply has arrived. Releases its bytes, unless they are part of a value
     * that must be processed first.
     *
     * @return whether more of it may follow; otherwise it takes too much memory
     */
    public boolean shadowArrived(PendingReply pending) {
      if (pending.holdsUnworked() && !pending.isComplete()) {
        return mayHold();
      }
      if (comparable) {
        ofShadow.addHeld(pending);
      }
      pending.releaseSlices();
      return true;
    }

    /** The shadow's reply is complete, and the client's as well. Borrows pending reply. */
    public void shadowAnswered(PendingReply pending) {
      if (answer == null) {
        return; // the client had none, so there is nothing to compare
      }
      if (answer == pending.outcome() && (!comparable || fingerprint == ofShadow.value())) {
        metrics.count(ShadowResult.SAME);
      } else {
        differs(command);
      }
    }

    /** The shadow has not answered. */
    public void failed() {
      metrics.count(ShadowResult.FAILED);
    }

    /** The request was not copied, or the shadow's reply was dropped. */
    public void skipped() {
      metrics.count(ShadowResult.SKIPPED);
    }
  }
}
