package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageFilter;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageMeter;
import sluice.codecs.internode.MessageParams;
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
 * Messages of a link, after its handshake. They arrive in the framing that the initiator chose, and
 * leave in the one that the server was told. They are counted, and removed where the route requires
 * it.
 *
 * <p>Compressed frames that stay unchanged and that no rule inspects are not decompressed: only
 * their number and bytes are counted.
 */
final class LinkMessages implements MessageFilter, MessageMeter, ByteSink {
  /** Time after which a link lets the other sockets of its event loop come first. */
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Reads with less time between them share a turn. The records of one TLS read do. */
  private static final long SAME_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final LinkLoop links;
  private final Answers answers;
  private final LinkHandshake handshake;
  private final InternodeMetrics metrics;
  private final ByteSink receiver;
  private final Framing from;
  private final Framing to;
  private final FrameCounts counts;
  private LinkListenerView listenerView;
  private @Nullable LinkListenerView next; // whose rules apply from the next message on; null: none
  private VerbRoute route;
  private Reframer reframer;
  private @Nullable MessageRewriter rewriter; // null: addresses stay
  private boolean leaves;
  private long bytesWritten; // written, and not counted yet
  private int answersAsked; // by the bytes that are being read
  private long turnEnds; // set if reading may take long
  private long readUntil; // when the last read that might take long was done
  private boolean tookLong; // whether its turn was over then

  /**
   * Messages of a link.
   *
   * @param receiver consumes the bytes for the server
   */
  LinkMessages(
      LinkLoop links,
      Answers answers,
      LinkListenerView listenerView,
      LinkHandshake handshake,
      ByteSink receiver) {
    this.links = links;
    this.answers = answers;
    this.handshake = handshake;
    this.metrics = listenerView.metrics();
    this.receiver = receiver;
    this.from = handshake.chosen();
    this.to = handshake.sent();
    this.counts = new FrameCounts(metrics, from, to);
    begin(listenerView);
  }

  /** Applies the settings of a listener from now on. */
  private void begin(LinkListenerView listenerView) {
    this.listenerView = listenerView;
    this.route = listenerView.route();
    LinkAddresses addresses = listenerView.addresses();
    rewriter =
        addresses == null ? null : new MessageRewriter(addresses.there(), handshake.version());
    reframer = reframer();
    reframer.endTurnsWhen(this::isTurnOver);
    counts.begin(reframer, rewriter);
  }

  private Reframer reframer() {
    boolean changes = changes();
    int version = handshake.version();
    if (from == to && from == Framing.LZ4 && !changes) {
      return Reframer.ofFrames(from, to, version, links.workspace(), this);
    }
    long limit = listenerView.limits().messageSizeBytes();
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

  /** Whether messages may be removed or replaced. */
  private boolean changes() {
    return route.rejects() || rewriter != null;
  }

  /** Whether frames may be decompressed, to hundreds of times their bytes, and stay so. */
  boolean mayGrow() {
    return from == Framing.LZ4 && (to != Framing.LZ4 || changes() || waits());
  }

  /** Whether frames may take far longer than passing them on. */
  boolean mayTakeLong() {
    return rewriter != null || mayGrow();
  }

  /** Whether it has taken long, or become much while memory is tight. */
  private boolean isTurnOver() {
    return links.loop().nanos() - turnEnds >= 0
        || (bytesWritten > LinkSide.MOST_GROWTH && links.loop().memory().isTight());
  }

  /**
   * Whether the turn is over. An empty {@link #read} begins the next one: for bytes that wait, and
   * for what is read next.
   */
  boolean hasMore() {
    return reframer.hasMore() || tookLong;
  }

  /** Applies the listener's new settings from the next message on. Only between two reads. */
  void follow(LinkListenerView following) {
    if (next == null && listenerView.passesAs(following)) {
      listenerView = following;
      return;
    }
    next = following;
    reframer.stopBetweenMessages(false);
    if (reframer.isStopped()) {
      goOver(following);
    }
  }

  private void goOver(LinkListenerView following) {
    Reframer before = reframer;
    begin(following);
    next = null;
    before.moveTo(reframer);
    before.close();
    if (leaves) {
      reframer.stopBetweenMessages(true);
    }
  }

  /** Whether it waits for the next message to change its settings. */
  boolean waits() {
    return next != null;
  }

  /** Whether it cannot tell where the next message begins. */
  boolean isUnsure() {
    return reframer.isUnsure();
  }

  /** Stops after the current message; what comes after it is not sent. */
  void leave() {
    if (!leaves) {
      leaves = true;
      reframer.stopBetweenMessages(true);
    }
  }

  /** Whether the link must end, and no message is incomplete. */
  boolean hasLeft() {
    return leaves && next == null && reframer.isStopped();
  }

  /**
   * Processes the bytes that were read next; complete messages go to the receiver. Consumes bytes,
   * also when it throws.
   *
   * @throws ProtocolException if the link must be closed, after everything before was sent
   */
  long read(ByteBuf bytes) {
    int length = bytes.readableBytes();
    if (length > 0 && hasMore()) {
      reframer.keep(bytes);
      return countFrames(length);
    }
    long written = 0;
    answersAsked = 0;
    boolean mayTakeLong = mayTakeLong();
    long began = mayTakeLong ? beginOrContinueTurn(length == 0) : 0;
    try {
      reframer.read(bytes);
      for (LinkListenerView then = next; then != null && reframer.isStopped(); then = next) {
        written += countFrames(0);
        goOver(then);
        reframer.readOn();
      }
    } finally {
      written += countFrames(length);
    }
    if (mayTakeLong) {
      readUntil = links.loop().nanos();
      links.spentOnFrames(began, readUntil);
    }
    tookLong = mayTakeLong && readUntil - turnEnds >= 0;
    return written;
  }

  /** Returns the time. */
  private long beginOrContinueTurn(boolean begins) {
    long now = links.loop().nanos();
    long between = now - readUntil;
    turnEnds = begins || between > SAME_TURN_NANOS ? now + TURN_NANOS : turnEnds + between;
    return now;
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
    listenerView.logRejection(links.loop().now(), verb, handshake.from(), rule);
    if ((header.flags() & MessageHeader.CALL_BACK_ON_FAILURE) != 0) {
      answer(header);
    }
    return false;
  }

  /** Answers the sender of a removed request; otherwise it would wait until its time is over. */
  private void answer(MessageHeader header) {
    answersAsked++;
    if (answersAsked > Answers.MAX_WAITING) { // nothing is sent before all bytes are read
      metrics.unanswered();
      return;
    }
    InetSocketAddress node = listenerView.node();
    InetSocketAddress requester = requester(header);
    if (node == null || requester == null) {
      metrics.unanswered();
      return;
    }
    answers.send(
        new Rejected(
            listenerView.name(),
            node,
            requester,
            listenerView.there(node),
            listenerView.there(requester),
            header.id(),
            header.epoch(),
            FailureFrame.remainingMillis(header),
            handshake.acceptorMaxVersion()));
  }

  /**
   * The node that gets the failure of a request ({@code InboundSink.fail}): RESPOND_TO, or else the
   * sender. As in all removed messages, the address is an initiator's. Null if that param is no
   * address.
   */
  private @Nullable InetSocketAddress requester(MessageHeader header) {
    InetSocketAddress requester = handshake.from();
    MessageParams params = header.params();
    while (params.next()) {
      if (params.type() == MessageHeader.RESPOND_TO) {
        ByteBuf buffer = header.buffer();
        int index = params.index();
        requester =
            NodeAddress.isAddress(buffer, index, params.length())
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

  /** Inserts an answer between two frames, where every read ends. */
  void answer(Rejected rejected) {
    ByteBuf frame = FailureFrame.of(rejected, to, handshake.version(), links.loop());
    metrics.injected(Verb.FAILURE_RSP, frame.readableBytes());
    metrics.framesWritten(to, 1, frame.readableBytes());
    links.loop().metrics().bytes(Direction.SERVER_OUT, frame.readableBytes());
    receiver.accept(frame);
  }

  /** Bytes of an incomplete frame. */
  int heldBytes() {
    return reframer.heldBytes();
  }

  /** Number of the frame or message that they belong to: another one once that is complete. */
  long heldUnit() {
    return reframer.heldUnit();
  }

  /** Whether a corrupt frame was dropped so far. */
  boolean hasDropped() {
    return counts.hasDropped();
  }

  /** Whether addresses could not be read so far, and so were not replaced. */
  boolean hasUnread() {
    return counts.hasUnread();
  }

  void close() {
    reframer.close();
  }
}
