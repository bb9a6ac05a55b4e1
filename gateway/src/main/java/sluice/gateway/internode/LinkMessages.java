package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageFilter;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageMeter;
import sluice.codecs.internode.MessageWalk;
import sluice.codecs.internode.NodeAddress;
import sluice.codecs.internode.Reframer;
import sluice.codecs.internode.address.MessageRewriter;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.net.Sockets;
import sluice.gateway.route.VerbRoute;
import sluice.names.Verb;

/**
 * The messages of a link, behind its handshake. They come in the framing that the initiator chose
 * and leave in the one that the server was told. They are counted, and taken out where the route
 * says so.
 *
 * <p>Compressed frames that stay as they are and that no rule looks into are not decompressed: of
 * them only frames and bytes are counted.
 */
final class LinkMessages implements MessageFilter, MessageMeter, ByteSink {
  private final LinkLoop links;
  private final Answers answers;
  private final LinkHandshake handshake;
  private final InternodeMetrics metrics;
  private final ByteSink receiver;
  private final Framing from;
  private final Framing to;
  private final FrameCounts counts;
  private LinkListening listening;
  private LinkListening next; // whose rules count from the next message on; null: there is none
  private VerbRoute route;
  private Reframer reframer;
  private MessageRewriter rewriter; // null: addresses stay
  private boolean leaves;
  private long bytesWritten; // and not counted yet

  /**
   * Messages of a link.
   *
   * @param receiver consumes what goes to the server
   */
  LinkMessages(
      LinkLoop links,
      Answers answers,
      LinkListening listening,
      LinkHandshake handshake,
      ByteSink receiver) {
    this.links = links;
    this.answers = answers;
    this.handshake = handshake;
    this.metrics = listening.metrics();
    this.receiver = receiver;
    this.from = handshake.chosen();
    this.to = handshake.sent();
    this.counts = new FrameCounts(metrics, from, to);
    begin(listening);
  }

  /** From now on messages are passed by what a listener says. */
  private void begin(LinkListening listening) {
    this.listening = listening;
    this.route = listening.route();
    LinkAddresses addresses = listening.addresses();
    rewriter =
        addresses == null ? null : new MessageRewriter(addresses.there(), handshake.version());
    reframer = reframer();
    counts.begin(reframer, rewriter);
  }

  private Reframer reframer() {
    boolean changes = route.rejects() || rewriter != null;
    int version = handshake.version();
    if (from == to && from == Framing.LZ4 && !changes) {
      return Reframer.ofFrames(from, to, version, links.workspace(), this);
    }
    long limit = listening.limits().messageSizeBytes();
    if (!changes) {
      MessageWalk walk = MessageWalk.counting(version, limit, this);
      return Reframer.observing(from, to, walk, links.workspace(), this);
    }
    MessageWalk walk =
        rewriter == null
            ? new MessageWalk(version, limit, this)
            : new MessageWalk(version, limit, this, rewriter, Sockets.allocator());
    return Reframer.filtering(from, to, walk, links.workspace(), this);
  }

  /**
   * Goes over to what a listener says now, where the next message begins. Between two reads only.
   */
  void follow(LinkListening following) {
    if (next == null && listening.passesAs(following)) {
      listening = following;
      return;
    }
    next = following;
    reframer.stopBetweenMessages(false);
    if (reframer.isStopped()) {
      goOver();
    }
  }

  private void goOver() {
    Reframer before = reframer;
    begin(next);
    next = null;
    before.moveTo(reframer);
    before.close();
    if (leaves) {
      reframer.stopBetweenMessages(true);
    }
  }

  /** Whether it waits for the next message to go over, and cannot tell where that begins. */
  boolean waitsUnsurely() {
    return next != null && reframer.isUnsure();
  }

  /** Stops behind the message that is under way; what comes after it does not leave any more. */
  void leave() {
    if (!leaves) {
      leaves = true;
      reframer.stopBetweenMessages(true);
    }
  }

  /** Whether the link is to end, and no message is under way. */
  boolean hasLeft() {
    return leaves && next == null && reframer.isStopped();
  }

  /**
   * Takes what was read next; what is whole of it goes to the receiver. Consumes bytes, also when
   * it throws.
   *
   * @return how many bytes have gone to the receiver
   * @throws ProtocolException if the link must be closed, after what has gone to the receiver
   */
  long read(ByteBuf bytes) {
    int length = bytes.readableBytes();
    long written = 0;
    try {
      reframer.read(bytes);
      while (next != null && reframer.isStopped()) {
        written += countFrames(0);
        goOver();
        reframer.readOn();
      }
    } finally {
      written += countFrames(length);
    }
    return written;
  }

  private long countFrames(int bytesRead) {
    long written = bytesWritten;
    bytesWritten = 0;
    counts.count(bytesRead, written);
    return written;
  }

  @Override
  public void count(int verb, long length) {
    metrics.passed(Verb.of(verb), length);
  }

  @Override
  public boolean pass(MessageHeader header) {
    Verb verb = Verb.of(header.verb());
    int rule = route.rule(verb);
    if (rule == VerbRoute.PASSED) {
      metrics.passed(verb, header.messageLength());
      return true;
    }
    metrics.rejected(verb, header.messageLength());
    listening.logRejection(links.loop().now(), verb, handshake.from(), rule);
    if ((header.flags() & MessageHeader.CALL_BACK_ON_FAILURE) != 0) {
      answer(header);
    }
    return false;
  }

  /** Tells the sender of a request that it failed, so that it need not wait for its timeout. */
  private void answer(MessageHeader header) {
    InetSocketAddress node = listening.node();
    InetSocketAddress requester = requester(header);
    if (node == null || requester == null) {
      metrics.unanswered();
      return;
    }
    answers.send(
        new Rejected(
            listening.name(),
            node,
            requester,
            listening.there(node),
            listening.there(requester),
            header.id(),
            header.epoch(),
            FailureFrame.remainingMillis(header),
            handshake.acceptorMaxVersion()));
  }

  /**
   * Whom a node tells that a request failed ({@code InboundSink.fail}): RESPOND_TO, which like all
   * that is cut out here has the initiators' addresses, or else who sent it. Null if that param is
   * no address.
   */
  private InetSocketAddress requester(MessageHeader header) {
    InetSocketAddress requester = handshake.from();
    header.rewindParams();
    while (header.nextParam()) {
      if (header.paramType() == MessageHeader.RESPOND_TO) {
        ByteBuf buffer = header.buffer();
        int index = header.paramIndex();
        requester =
            NodeAddress.isAddress(buffer, index, header.paramLength())
                ? NodeAddress.get(buffer, index)
                : null;
      }
    }
    return requester;
  }

  @Override
  public void accept(ByteBuf bytes) {
    bytesWritten += bytes.readableBytes();
    receiver.accept(bytes);
  }

  /** Puts an answer between two frames, which is where every read ends. */
  void answer(Rejected rejected) {
    ByteBuf frame = FailureFrame.of(rejected, to, handshake.version(), links.loop());
    metrics.injected(Verb.FAILURE_RSP, frame.readableBytes());
    metrics.framesWritten(to, 1, frame.readableBytes());
    links.loop().metrics().bytes(Direction.SERVER_OUT, frame.readableBytes());
    receiver.accept(frame);
  }

  /** Bytes of a frame that is not whole yet. */
  int heldBytes() {
    return reframer.heldBytes();
  }

  /** Whether a corrupt frame was left out so far. */
  boolean hasDropped() {
    return counts.hasDropped();
  }

  /** Whether addresses ought to have been replaced so far that could not be read. */
  boolean hasUnread() {
    return counts.hasUnread();
  }

  void close() {
    reframer.close();
  }
}
