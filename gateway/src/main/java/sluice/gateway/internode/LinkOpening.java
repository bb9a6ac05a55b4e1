package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.net.NetSocket;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.SliceList;
import sluice.config.model.DurationText;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.metrics.LinkOutcome;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.net.Sockets;

/**
 * Handshake phase of one link: reads the initiator's request, connects to the server and passes the
 * request on; the server's answer decides what the link carries.
 *
 * <pre>
 *   INITIATE    the initiator sends its request
 *   CONNECTING  the connection to the server is being made
 *   ACCEPT      the server answers before any other bytes pass
 *   ANSWER      bytes pass both ways, and the server's first bytes are awaited
 *   DONE
 * </pre>
 *
 * Nodes have no working timeouts for their handshakes; this class has one for each half. It holds
 * bytes that the initiator sends too early.
 */
final class LinkOpening {
  /** Link that begins. */
  interface Owner {
    /** Whether the link has not ended. */
    boolean isOpen();

    /**
     * A new socket to the server, for a link of this type. The initiator is not read until the link
     * carries traffic.
     */
    Future<NetSocket> connect(LinkType type, Upstream upstream);

    /** The server is connected; the link ends at once if it has closed already. */
    void connected(NetSocket socket);

    /** Writes to the server. Consumes bytes. */
    void writeToServer(ByteBuf bytes);

    /** Writes to the initiator. Consumes bytes. */
    void writeToInitiator(ByteBuf bytes);

    /** From now on, the link carries messages. */
    void passMessages();

    /** From now on, the link carries a stream whose addresses are replaced. */
    void passStream(LinkAddresses addresses);

    /** From now on, the link carries bytes that the gateway does not read. */
    void passBytes();

    /** As {@link #passBytes}, for messages of a version that the gateway does not know. */
    void passUnknown();

    /** Logs that the link passes bytes that the gateway cannot read. */
    void logUnknown(String what);

    /** Logs a line about the link. */
    void log(String what);

    /** Logs the reason, and ends the link. */
    void fail(String reason);

    /** Ends the link. */
    void close();
  }

  private enum Phase {
    INITIATE,
    CONNECTING,
    ACCEPT,
    ANSWER,
    DONE;

    boolean awaitsServer() {
      return this == ACCEPT || this == ANSWER;
    }
  }

  private final Loop loop;
  private final Owner link;
  private final ListenerFollower follower;
  private final InternodeMetrics metrics;
  private final LinkHandshake handshake;
  private final SliceList early;
  private Phase phase = Phase.INITIATE;
  private @Nullable String unknown; // what the link carries, if the gateway cannot read it
  // replaced addresses of the Initiate, and so of a stream behind it; null: none
  private @Nullable LinkAddresses sentAddresses;
  private boolean left; // whether the initiator left while the server was being connected
  private long deadline; // deadline of INITIATE, ACCEPT and ANSWER

  /**
   * The handshake phase of a link that was just accepted.
   *
   * @param handshake released at the end of this phase
   */
  LinkOpening(Loop loop, Owner link, ListenerFollower follower, LinkHandshake handshake) {
    this.loop = loop;
    this.link = link;
    this.follower = follower;
    this.metrics = follower.listenerView().metrics();
    this.handshake = handshake;
    this.early = new SliceList(loop.slices());
    expectPeer();
  }

  private void expectPeer() {
    deadline = loop.now() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis());
  }

  private long timeoutMillis() {
    return follower.listenerView().limits().handshakeMillis();
  }

  /** Processes bytes from the initiator. Consumes bytes. */
  void fromInitiator(ByteBuf bytes) {
    if (phase == Phase.INITIATE) {
      initiate(bytes);
    } else {
      keep(bytes);
    }
  }

  private void keep(ByteBuf bytes) {
    early.addRead(bytes);
    early.copyLastIfSmall();
  }

  private void initiate(ByteBuf bytes) {
    boolean whole;
    try {
      whole = handshake.readInitiate(bytes);
    } catch (ProtocolException e) {
      bytes.release();
      metrics.began(LinkOutcome.INVALID);
      link.fail(String.valueOf(e.getMessage()));
      return;
    }
    if (!whole) {
      bytes.release();
      return;
    }
    unknown = handshake.unknown();
    // its address would be rewritten, and nothing after it
    boolean halfRewritten = isRewrittenStream();
    if (unknown != null && (follower.listenerView().isStrict() || halfRewritten)) {
      bytes.release();
      refuse();
      return;
    }
    keep(bytes);
    phase = Phase.CONNECTING; // connecting has a timeout of its own
    link.connect(handshake.type(), follower.choose())
        .onComplete(this::connected, this::unreachable);
  }

  private boolean isRewrittenStream() {
    return handshake.isModernStream() && follower.listenerView().addresses() != null;
  }

  private void connected(NetSocket socket) {
    loop.tick();
    Upstream upstream = follower.upstream();
    if (!link.isOpen()) {
      Sockets.channel(socket).close();
      if (left) {
        upstream.status().linked();
      }
      return;
    }
    upstream.status().linked();
    sentAddresses = follower.listenerView().addresses();
    boolean passes = !handshake.isFramed() && !isRewrittenStream();
    if (handshake.isAnswered()) {
      phase = passes ? Phase.ANSWER : Phase.ACCEPT;
      expectPeer();
    } else {
      begun();
    }
    link.connected(socket);
    if (link.isOpen()) {
      link.writeToServer(handshake.takeInitiate(upstream, sentAddresses));
    }
    if (passes && link.isOpen()) {
      link.passBytes();
    }
  }

  private void unreachable(Throwable failure) {
    loop.tick();
    // An initiator that does not wait as long as the gateway does must not hide it. The gateway
    // itself may have ended the link, and the attempt with it: then nothing is known.
    if (link.isOpen() || left) {
      String message = failure.getMessage();
      String why = message == null ? failure.getClass().getSimpleName() : message;
      follower.upstream().status().unlinked("cannot be reached: " + why); // logs a change
    }
    if (link.isOpen()) {
      metrics.began(LinkOutcome.UNREACHABLE);
      link.close();
    }
  }

  /**
   * Takes the server's answer from the front of bytes, which are borrowed. After a complete answer,
   * and if the link has not ended, the link carries the bytes that follow.
   */
  void fromServer(ByteBuf bytes) {
    boolean whole;
    try {
      whole = handshake.readAccept(bytes);
    } catch (ProtocolException e) {
      metrics.began(LinkOutcome.NO_ACCEPT);
      link.fail(String.valueOf(e.getMessage()));
      return;
    }
    if (whole) {
      accepted();
    }
  }

  private void accepted() {
    LinkListenerView listenerView = follower.listenerView();
    // Another configuration may have come: messages follow it, and a stream keeps its addresses.
    LinkAddresses addresses = sentAddresses;
    if (!handshake.isKnown()) {
      unknown = handshake.unknownAnswer();
      // Frames of an unknown version cannot be converted, nor their addresses replaced.
      boolean reframed = handshake.isFramed() && handshake.sent() != handshake.chosen();
      if (listenerView.isStrict()) {
        refuse();
        return;
      } else if (reframed || addresses != null || listenerView.addresses() != null) {
        // it tells the initiator which version to try instead
        link.writeToInitiator(handshake.takeAnswer());
        refuse();
        return;
      }
    }
    if (handshake.isFramed() && handshake.isKnown() && sentTooMuch()) {
      return;
    }
    begun();
    link.writeToInitiator(handshake.takeAnswer());
    if (!link.isOpen()) {
      return; // the write may have ended the link
    }
    if (!handshake.isFramed()) {
      if (addresses == null) {
        link.passBytes();
      } else {
        link.passStream(addresses);
      }
    } else if (handshake.isKnown()) {
      link.passMessages();
    } else {
      link.passUnknown();
    }
  }

  /**
   * Ends a link whose initiator has sent messages before the answer, if there is no memory for
   * them: compressed ones may become hundreds of times larger. Nodes wait for the answer.
   *
   * @return whether it has ended
   */
  private boolean sentTooMuch() {
    if (early.length() <= LinkSide.PORTION || !loop.memory().isTight()) {
      return false;
    }
    phase = Phase.DONE;
    metrics.began(LinkOutcome.INVALID);
    link.fail(
        "%d bytes arrived before the server answered, and process.memory has no room for them"
            .formatted(early.length()));
    return true;
  }

  /** The server has sent bytes after the handshake. */
  void heardServer() {
    if (phase == Phase.ANSWER) {
      begun();
    }
  }

  /** The handshake is complete, as far as this link has one. */
  private void begun() {
    phase = Phase.DONE;
    String unknown = this.unknown;
    if (unknown == null || handshake.type() == LinkType.TLS) {
      metrics.began(LinkOutcome.OK);
    } else {
      metrics.began(LinkOutcome.UNKNOWN_PASSED);
      link.logUnknown(unknown);
    }
  }

  private void refuse() {
    phase = Phase.DONE;
    metrics.began(LinkOutcome.UNKNOWN_REFUSED);
    boolean strict = follower.listenerView().isStrict();
    link.fail("no rule can inspect " + unknown + (strict ? ", and strict is true" : ""));
  }

  /** Hands out bytes that came too early. This may end the link. */
  void handOut(LinkTraffic traffic) {
    early.moveTo(traffic::fromInitiator, early.length());
  }

  /** The number of bytes that came too early and are held. */
  long heldBytes() {
    return early.length();
  }

  /** The node that opened the link; null if it is not known. */
  @Nullable InetSocketAddress from() {
    return handshake.from();
  }

  /** Ends the link if one half of the handshake is late; returns whether it did. */
  boolean failIfLate() {
    if (phase == Phase.INITIATE && loop.now() - deadline >= 0) {
      metrics.began(LinkOutcome.NO_INITIATE);
      link.fail("no complete handshake within " + DurationText.of(timeoutMillis()));
      return true;
    }
    if (phase.awaitsServer() && loop.now() - deadline >= 0) {
      metrics.began(LinkOutcome.NO_ACCEPT);
      link.fail("no answer from its server within " + DurationText.of(timeoutMillis()));
      return true;
    }
    return false;
  }

  /** TLS failed with one of the two nodes, which ends the link. */
  void tlsFailed() {
    if (phase == Phase.INITIATE || phase == Phase.CONNECTING) {
      metrics.began(LinkOutcome.INVALID);
    } else if (phase.awaitsServer()) {
      metrics.began(LinkOutcome.NO_ACCEPT);
    }
  }

  /** The initiator has closed. */
  void initiatorClosed() {
    if (phase == Phase.INITIATE) {
      metrics.began(LinkOutcome.NO_INITIATE);
    } else if (phase == Phase.CONNECTING || phase.awaitsServer()) {
      metrics.began(LinkOutcome.LEFT);
      left = phase == Phase.CONNECTING;
    }
  }

  /** The server has closed, which ends the link. */
  void serverClosed() {
    if (phase.awaitsServer()) {
      metrics.began(LinkOutcome.NO_ACCEPT);
      link.log("closed: its server closed instead of answering");
    }
  }

  /**
   * Ends this phase with the link. Releases bytes that came too early, and the incomplete
   * handshake.
   */
  void close() {
    phase = Phase.DONE;
    handshake.release();
    early.clear();
  }
}
