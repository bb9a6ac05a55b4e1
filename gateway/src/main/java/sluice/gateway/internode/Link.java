package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.config.model.DurationText;
import sluice.config.model.LimitsConfig;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.net.Sockets;
import sluice.gateway.tls.TlsException;

/**
 * Pair of sockets for one connection between nodes: bytes from the initiator go to the node that
 * its listener leads to, and that node's answers go back. When one socket closes, so does the
 * other, after complete messages have been passed on.
 *
 * <pre>
 *   INITIATE    the initiator sends its first message
 *   CONNECTING  to the server
 *   ACCEPT      the server answers
 *   FRAMES      messages, one way
 *   RELAY       streams and old versions: bytes, both ways
 *   CLOSED
 * </pre>
 *
 * Nodes have no working timeouts for their handshakes; this has one for each half.
 *
 * <p>Longer than 400 lines because the parts of a link meet here: it decides when one of them ends
 * all others.
 */
final class Link implements LinkSide.Owner, LinkOpening.Owner, LinkFrames.Owner, ReturnLink {
  /** Owner of an event loop's links. */
  interface Keeper {
    /** The link has ended. */
    void remove(Link link);

    /** The link is paused until there is memory again. */
    void awaitsMemory(Link link);
  }

  private enum State {
    STAYS, // no end is planned
    LEAVES, // it ends at the next border between messages
    CLOSED, // it has ended, and its sockets may still be open
    GONE // both sockets are closed
  }

  private final LinkLoop links;
  private final Loop loop;
  private final LinkRegistry registry;
  private final Answers answers;
  private final Keeper keeper;
  private final InternodeMetrics metrics;
  private final ListenerFollower follower;
  private final LinkHandshake handshake;
  private final LinkOpening opening;
  private final LinkSides sides;
  private final LinkLog log;
  private final HeldPart heldPart;
  private @Nullable LinkTraffic traffic; // null: traffic has not begun
  private State state = State.STAYS;
  private volatile LinkType type = LinkType.HANDSHAKE;
  private long lastRead;
  private long leavingSince;
  private int heapBytes; // by estimate

  Link(
      LinkLoop links,
      LinkRegistry registry,
      Answers answers,
      Keeper keeper,
      LinkListenerView listenerView) {
    this.links = links;
    this.loop = links.loop();
    this.registry = registry;
    this.answers = answers;
    this.keeper = keeper;
    this.metrics = listenerView.metrics();
    this.follower = new ListenerFollower(listenerView);
    this.handshake = new LinkHandshake(loop, listenerView.passesTls());
    this.opening = new LinkOpening(loop, this, follower, handshake);
    this.sides = new LinkSides(loop, this, limits().inFlightBytes());
    this.log = new LinkLog(loop, follower, handshake, sides.initiator());
    this.lastRead = loop.now();
    this.heldPart = new HeldPart(loop);
    this.heapBytes = listenerView.heapBytes(type);
  }

  private LimitsConfig limits() {
    return follower.listenerView().limits();
  }

  @Override
  public boolean isOpen() {
    return state == State.STAYS || state == State.LEAVES;
  }

  LinkSides sides() {
    return sides;
  }

  @Override
  public @Nullable LinkSide other(LinkSide side) {
    return sides.other(side);
  }

  @Override
  public void read(LinkSide from, ByteBuf bytes) {
    lastRead = loop.now();
    if (from == sides.initiator()) {
      fromInitiator(bytes);
    } else {
      fromServer(bytes);
    }
    if (isOpen()) {
      account();
      pauseIfTight();
    }
  }

  private void fromInitiator(ByteBuf bytes) {
    followListener();
    loop.metrics().bytes(Direction.CLIENT_IN, bytes.readableBytes());
    if (!isOpen()) {
      bytes.release();
    } else if (traffic == null) {
      opening.fromInitiator(bytes);
    } else {
      traffic.fromInitiator(bytes);
    }
  }

  private void fromServer(ByteBuf bytes) {
    loop.metrics().bytes(Direction.SERVER_IN, bytes.readableBytes());
    boolean passed = false;
    try {
      if (isOpen() && traffic == null) {
        opening.fromServer(bytes);
      } else if (isOpen()) {
        opening.heardServer();
      }
      if (isOpen() && traffic != null) {
        passed = true;
        traffic.fromServer(bytes);
      }
    } finally {
      if (!passed) {
        bytes.release();
      }
    }
  }

  @Override
  public void writeToServer(ByteBuf bytes) {
    loop.metrics().bytes(Direction.SERVER_OUT, bytes.readableBytes());
    sides.acceptor().write(bytes);
  }

  @Override
  public void writeToInitiator(ByteBuf bytes) {
    loop.metrics().bytes(Direction.CLIENT_OUT, bytes.readableBytes());
    sides.initiator().write(bytes);
  }

  @Override
  public void flushed(LinkSide side) {
    if (sides.isAcceptor(side) && traffic != null) {
      traffic.flushed();
    }
  }

  @Override
  public Future<NetSocket> connect(LinkType type, Upstream upstream) {
    retype(type);
    sides.initiator().stopReading(LinkSide.HANDSHAKE);
    return links.connect(upstream.reach(), upstream.connectTimeoutMillis());
  }

  private void retype(LinkType newType) {
    metrics.linkClosed(type);
    type = newType;
    metrics.linkOpened(type);
    int before = heapBytes;
    heapBytes = follower.listenerView().heapBytes(type);
    follower.listenerView().heapChanges(heapBytes - before);
  }

  @Override
  public void connected(NetSocket socket) {
    socket.exceptionHandler(failure -> {}); // the socket's close event follows
    boolean streams = type == LinkType.STREAMING;
    LinkSide acceptor = sides.newAcceptor(limits().inFlightBytes(), streams);
    follower.upstream().opened();
    Sockets.install(socket, acceptor);
    if (!acceptor.isOpen()) {
      closed(acceptor);
    }
  }

  @Override
  public void passMessages() {
    LinkListenerView listenerView = follower.listenerView();
    LinkRegistration registration = new LinkRegistration(registry, this, handshake.sender());
    registration.leadTo(listenerView.node());
    pass(
        new LinkFrames(
            this,
            loop,
            links.followingNanos(),
            metrics,
            new LinkMessages(links, answers, listenerView, handshake, sides.acceptor()::write),
            registration,
            this::writeToInitiator));
  }

  @Override
  public void passStream(LinkAddresses addresses) {
    pass(
        new LinkStream(
            addresses,
            handshake.version(),
            this::writeToServer,
            this::writeToInitiator,
            this::streamUnread));
  }

  private void streamUnread() {
    metrics.streamUnread();
    log("a message could not be parsed: from here on, addresses are not replaced");
  }

  @Override
  public void passUnknown() {
    retype(LinkType.LEGACY);
    passBytes();
  }

  @Override
  public void passBytes() {
    pass(new LinkBytes(this::writeToServer, this::writeToInitiator));
  }

  private void pass(LinkTraffic begun) {
    traffic = begun;
    opening.handOut(begun);
    if (isOpen()) {
      account();
      sides.initiator().readAgain(LinkSide.HANDSHAKE);
    }
  }

  @Override
  public void endTurn() {
    sides.initiator().endTurn();
  }

  @Override
  public LinkType type() {
    return type;
  }

  @Override
  public Answers answers() {
    return answers;
  }

  @Override
  public boolean isFull() {
    return isOpen() && sides.isAcceptorFull();
  }

  @Override
  public boolean answer(Rejected rejected) {
    return isOpen() && traffic != null && traffic.answer(rejected);
  }

  // --- memory and time ----------------------------------------------------------------------

  @Override
  public void account() {
    long held = traffic == null ? 0 : traffic.heldBytes();
    sides.hold(isOpen() ? opening.heldBytes() + held + sides.unreadBytes() : 0);
  }

  @Override
  public boolean mayGrow() {
    return traffic == null ? opening.heldBytes() > 0 : traffic.mayGrow();
  }

  @Override
  public void pauseIfTight() {
    if (isOpen() && loop.memory().isTight()) {
      sides.pauseForMemory();
      keeper.awaitsMemory(this);
    }
  }

  @Override
  public boolean areOthersDue(LinkSide from) {
    return mayTakeLong(from) && links.areOthersDue();
  }

  /** Whether bytes of a side may take far longer than passing them on. */
  private boolean mayTakeLong(LinkSide from) {
    return traffic != null && from == sides.initiator() && traffic.mayTakeLong();
  }

  @Override
  public boolean hasTimeAtEnd(LinkSide from) {
    return !mayTakeLong(from) || links.hasTimeAtEnd();
  }

  @Override
  public void spentAtEnd(LinkSide from, long nanos) {
    if (mayTakeLong(from)) {
      links.spentAtEnd(nanos);
    }
  }

  @Override
  public void unreadLost(String why, long bytes) {
    if (isOpen()) {
      long held = traffic == null ? 0 : traffic.heldBytes();
      log(why + ": the last " + (bytes + held) + " bytes from a closed socket are lost");
    }
  }

  /** Called periodically. */
  void sweep(boolean draining) {
    sides.sweep();
    followListener();
    if (!isOpen() || opening.failIfLate()) {
      return;
    }
    LinkListenerView listenerView = follower.listenerView();
    if (sides.arePaused()) {
      lastRead = loop.now(); // what was sent meanwhile has not been read
    }
    long idleNanos = TimeUnit.MILLISECONDS.toNanos(limits().idleMillis());
    if (idleNanos > 0 && loop.now() - lastRead > idleNanos) {
      fail("neither side sent anything for " + DurationText.of(limits().idleMillis()));
    } else if ((draining || follower.hasMoved() || listenerView.isRetired())
        && type != LinkType.STREAMING) {
      leave();
    } else if (traffic != null) {
      traffic.sweep();
      failIfItStandsStill(traffic);
    }
  }

  /** Others need the memory of what a peer has begun, and may never end. */
  private void failIfItStandsStill(LinkTraffic passed) {
    boolean isRead = sides.isRead(passed.holdsMoreOfServer());
    heldPart.look(passed.heldUnit(), passed.heldBytes(), isRead);
    if (isOpen() && heldPart.standsStill()) {
      fail(
          "process.memory is nearly used up, and the link holds "
              + passed.heldBytes()
              + " bytes of a message of which almost nothing comes any more");
    }
  }

  /** Changes to its listener's new configuration. */
  private void followListener() {
    if (!isOpen()) {
      return;
    }
    ListenerFollower.Change change = follower.follow(handshake.from());
    if (change == ListenerFollower.Change.MOVED && type != LinkType.STREAMING) {
      leave();
    } else if (change != ListenerFollower.Change.NONE && traffic != null) {
      traffic.follow(follower.listenerView());
    }
  }

  /** Ends the link after the current message; its initiator opens another one. */
  private void leave() {
    if (state == State.STAYS) {
      state = State.LEAVES;
      leavingSince = loop.now();
      if (traffic != null) {
        traffic.leave();
      }
    }
    // Before there is traffic, no part of a message was sent.
    if (traffic == null || traffic.hasLeft(loop.now() - lastRead)) {
      close();
    } else if (loop.now() - leavingSince > links.leavingNanos()) {
      fail("a message was still incomplete when the link had to close");
    }
  }

  // --- the end ------------------------------------------------------------------------------

  @Override
  public void fail(String reason) {
    log("closed: " + reason);
    close();
  }

  @Override
  public void log(String what) {
    log.warn(type, what);
  }

  @Override
  public void logUnknown(String what) {
    log.unknown(what);
  }

  @Override
  public void close() {
    if (!isOpen()) {
      return;
    }
    state = State.CLOSED;
    opening.close();
    if (traffic != null) {
      traffic.close();
    }
    sides.hold(0);
    sides.close();
    endIfClosed();
  }

  /** Closes it without waiting for pending bytes. */
  void abort() {
    close();
    sides.abort();
  }

  @Override
  public void tlsFailed(LinkSide side, TlsException failure) {
    if (isOpen()) {
      opening.tlsFailed();
      fail((sides.isAcceptor(side) ? "its server: " : "") + failure.getMessage());
    }
  }

  @Override
  public void closed(LinkSide side) {
    if (sides.isAcceptor(side)) {
      follower.upstream().closed();
      opening.serverClosed();
    } else {
      opening.initiatorClosed();
    }
    close();
    endIfClosed();
  }

  private void endIfClosed() {
    if (state != State.GONE && sides.areClosed()) {
      state = State.GONE;
      keeper.remove(this);
      follower.listenerView().leave(type, heapBytes);
    }
  }
}
