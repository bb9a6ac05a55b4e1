package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.vertx.core.net.NetSocket;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteQueue;
import sluice.codecs.buffer.ByteSink;
import sluice.config.model.LimitsConfig;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.metrics.LinkOutcome;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.net.ClientAddress;
import sluice.gateway.net.Sockets;
import sluice.gateway.tls.TlsException;

/**
 * Two sockets and one conversation: what an initiator sends goes to the node that its listener
 * leads to, and what that answers comes back. When one socket closes, so does the other, after what
 * was whole has been passed on.
 *
 * <pre>
 *   INITIATE    the initiator says what it wants
 *   CONNECTING  to the server
 *   ACCEPT      the server answers
 *   FRAMES      messages, one way
 *   RELAY       streams and old versions: bytes, both ways
 *   CLOSED
 * </pre>
 *
 * Nodes have no working timeouts for their handshakes; this has one for each half.
 */
final class Link implements LinkSide.Owner, ReturnLink {
  /** What has the links of an event loop. */
  interface Keeper {
    /** The link has ended. */
    void remove(Link link);

    /** The link is not read until there is memory again. */
    void starves(Link link);
  }

  private static final Logger LOG = LoggerFactory.getLogger(Link.class);

  /**
   * A link of bytes that nobody looks into ends between messages if nothing has come for so long.
   */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Bytes of halves that a link keeps in any case: more than a frame in each form. */
  private static final int MOST_HELD_WHEN_FULL = 512 * 1024;

  private enum State {
    INITIATE,
    CONNECTING,
    ACCEPT,
    FRAMES,
    RELAY,
    CLOSED
  }

  private final LinkLoop links;
  private final LinkRegistry registry;
  private final Answers answers;
  private final Keeper keeper;
  private final Loop loop;
  private LinkListening listening;
  private final InternodeMetrics metrics;
  private final LinkHandshake handshake;
  private final LinkSide.Initiator initiator;
  private final ByteQueue early; // came behind the Initiate, before the Accept
  private String unknown; // what it carries, if nobody here can look into that
  private Upstream upstream; // null until there is an Initiate
  private LinkSide.Acceptor acceptor;
  private LinkMessages messages;
  private LinkStream stream; // null: bytes stay as they are
  private State state = State.INITIATE;
  private volatile LinkType type = LinkType.HANDSHAKE;
  private boolean awaitsPeer = true; // until its deadline
  private long deadline;
  private long lastRead;
  private long readAt; // of what has been written in this turn; 0 if nothing has
  private int handingOut; // calls that hand bytes out, within one another
  private boolean dropsLogged;
  private boolean unreadLogged;
  private boolean moved; // its listener does not lead any more where it leads
  private long leavingSince; // 0: it stays
  private long followingSince; // the newest configuration
  private boolean gone;
  private InetSocketAddress leadsTo; // as the registry knows it

  Link(
      LinkLoop links,
      LinkRegistry registry,
      Answers answers,
      Keeper keeper,
      LinkListening listening) {
    this.links = links;
    this.loop = links.loop();
    this.registry = registry;
    this.answers = answers;
    this.keeper = keeper;
    this.listening = listening;
    this.metrics = listening.metrics();
    this.handshake = new LinkHandshake(loop, listening.passesTls());
    this.early = new ByteQueue(loop.slices());
    this.initiator = new LinkSide.Initiator(loop, this, limits().inFlightBytes());
    this.lastRead = loop.now();
    expectPeer();
  }

  private LimitsConfig limits() {
    return listening.limits();
  }

  @Override
  public LinkSide initiator() {
    return initiator;
  }

  @Override
  public Answers answers() {
    return answers;
  }

  @Override
  public LinkType type() {
    return type;
  }

  @Override
  public LinkSide acceptor() {
    return acceptor;
  }

  private void expectPeer() {
    awaitsPeer = true;
    deadline = loop.now() + TimeUnit.MILLISECONDS.toNanos(limits().handshakeMillis());
  }

  // --- the initiator ------------------------------------------------------------------------

  @Override
  public void fromInitiator(ByteBuf bytes) {
    lastRead = loop.now();
    followListener();
    loop.metrics().bytes(Direction.CLIENT_IN, bytes.readableBytes());
    switch (state) {
      case INITIATE -> initiate(bytes);
      case CONNECTING, ACCEPT -> keep(bytes);
      case FRAMES -> frames(bytes);
      case RELAY -> toServer(bytes);
      case CLOSED -> bytes.release();
    }
    starveIfTight();
  }

  private void initiate(ByteBuf bytes) {
    boolean whole;
    try {
      whole = handshake.readInitiate(bytes);
    } catch (ProtocolException e) {
      bytes.release();
      metrics.began(LinkOutcome.INVALID);
      fail(e.getMessage());
      return;
    }
    if (!whole) {
      bytes.release();
      return;
    }
    unknown = handshake.unknown();
    boolean halfRewritten = isRewrittenStream(); // its address would be, and nothing behind it
    if (unknown != null && (listening.isStrict() || halfRewritten)) {
      bytes.release();
      refuse();
      return;
    }
    keep(bytes);
    retype(handshake.type());
    initiator.stopReading(LinkSide.HANDSHAKE);
    state = State.CONNECTING;
    awaitsPeer = false; // connecting has a timeout of its own
    upstream = listening.upstream();
    links
        .connect(upstream.reach(), upstream.connectTimeoutMillis())
        .onComplete(this::connected, this::unreachable);
  }

  /** Holds what came too early. */
  private void keep(ByteBuf bytes) {
    initiator.hold(bytes.readableBytes());
    early.add(bytes);
  }

  private void toServer(ByteBuf bytes) {
    if (state == State.CLOSED) {
      bytes.release();
    } else if (stream == null) {
      writeToServer(bytes);
    } else {
      stream.readThere(bytes);
      streamRead();
    }
  }

  private void writeToServer(ByteBuf bytes) {
    loop.metrics().bytes(Direction.SERVER_OUT, bytes.readableBytes());
    acceptor.write(bytes);
  }

  /** Hands out what came too early. What it comes to may end the link. */
  private void handOutEarly(ByteSink to) {
    handingOut++;
    try {
      early.moveTo(to, early.length());
    } finally {
      handedOut();
    }
  }

  /** What was left for it to release when the link ended in the meantime is released. */
  private void handedOut() {
    handingOut--;
    if (state == State.CLOSED && handingOut == 0) {
      release();
    }
  }

  private void frames(ByteBuf bytes) {
    if (state == State.CLOSED) {
      bytes.release();
      return;
    }
    long before = acceptor.bytesWritten();
    handingOut++;
    try {
      messages.read(bytes);
    } catch (ProtocolException e) {
      metrics.protocolError();
      fail(e.getMessage());
    } finally {
      handedOut();
    }
    if (state == State.CLOSED) {
      return;
    }
    long written = acceptor.bytesWritten() - before;
    loop.metrics().bytes(Direction.SERVER_OUT, written);
    if (written > 0 && readAt == 0) {
      readAt = loop.now();
    }
    if (messages.hasDropped() && !dropsLogged) {
      dropsLogged = true;
      log("a corrupt frame was left out; further ones are only counted");
    }
    if (messages.hasUnread() && !unreadLogged) {
      unreadLogged = true;
      log("addresses in a message could not be read and stayed; further ones are only counted");
    }
    if (messages.hasLeft()) {
      close();
      return;
    }
    hold((long) messages.heldBytes() + early.length());
    if (initiator.heldBytes() > MOST_HELD_WHEN_FULL && loop.memory().isFull()) {
      fail(
          "process.memory is used up, and it holds "
              + initiator.heldBytes()
              + " bytes of a message that is rewritten when it is whole");
    }
  }

  private void register() {
    leadsTo = listening.node();
    if (leadsTo != null) {
      registry.add(handshake.from(), leadsTo, this);
    }
  }

  private void unregister() {
    if (leadsTo != null) {
      registry.remove(handshake.from(), leadsTo, this);
      leadsTo = null;
    }
  }

  private void hold(long bytes) {
    initiator.hold(bytes - initiator.heldBytes());
  }

  private void retype(LinkType newType) {
    metrics.linkClosed(type);
    type = newType;
    metrics.linkOpened(type);
  }

  // --- the server ---------------------------------------------------------------------------

  private void connected(NetSocket socket) {
    loop.tick();
    if (state == State.CLOSED) {
      Sockets.channel(socket).close();
      return;
    }
    upstream.status().linked();
    socket.exceptionHandler(failure -> {}); // its close follows
    boolean streams = type == LinkType.STREAMING;
    acceptor = new LinkSide.Acceptor(loop, this, limits().inFlightBytes(), streams);
    upstream.opened();
    Sockets.install(socket, acceptor);
    state = State.ACCEPT;
    if (handshake.isAnswered()) {
      expectPeer();
    } else {
      begun();
    }
    writeToServer(handshake.takeInitiate(upstream, listening.addresses()));
    if (state == State.ACCEPT && !handshake.isFramed() && !isRewrittenStream()) {
      relay();
    }
    if (!acceptor.isOpen()) {
      closed(acceptor);
    }
  }

  private void unreachable(Throwable failure) {
    loop.tick();
    if (state != State.CLOSED) {
      String message = failure.getMessage();
      String why = message == null ? failure.getClass().getSimpleName() : message;
      upstream.status().unlinked("cannot be reached: " + why); // logs a change
      metrics.began(LinkOutcome.UNREACHABLE);
      close();
    }
  }

  @Override
  public void fromAcceptor(ByteBuf bytes) {
    lastRead = loop.now();
    loop.metrics().bytes(Direction.SERVER_IN, bytes.readableBytes());
    switch (state) {
      case ACCEPT -> accept(bytes);
      case FRAMES, RELAY -> {
        if (awaitsPeer) {
          awaitsPeer = false;
          begun();
        }
        toInitiator(bytes);
      }
      default -> bytes.release();
    }
    starveIfTight();
  }

  private void accept(ByteBuf bytes) {
    boolean whole;
    try {
      whole = handshake.readAccept(bytes);
    } catch (ProtocolException e) {
      bytes.release();
      metrics.began(LinkOutcome.NO_ACCEPT);
      fail(e.getMessage());
      return;
    }
    if (!whole) {
      bytes.release();
      return;
    }
    boolean done = false;
    try {
      accepted();
      done = true;
    } finally {
      if (!done) {
        bytes.release();
      }
    }
    if (state == State.CLOSED) {
      bytes.release();
    } else {
      toInitiator(bytes);
    }
  }

  private void accepted() {
    awaitsPeer = false;
    if (!handshake.isKnown()) {
      unknown = handshake.unknownAnswer();
      // Frames that nobody knows cannot become others, nor their addresses be replaced.
      boolean reframed = handshake.isFramed() && handshake.sent() != handshake.chosen();
      if (listening.isStrict()) {
        refuse();
        return;
      } else if (reframed || listening.addresses() != null) {
        writeToInitiator(handshake.takeAnswer()); // tells it what it may try instead
        refuse();
        return;
      }
    }
    begun();
    writeToInitiator(handshake.takeAnswer());
    if (state == State.CLOSED) {
      return; // by what became of writing
    }
    if (!handshake.isFramed()) {
      if (listening.addresses() != null) {
        rewriteStream();
      }
      relay();
    } else if (handshake.isKnown()) {
      state = State.FRAMES;
      messages = new LinkMessages(links, answers, listening, handshake, acceptor);
      register();
      handOutEarly(this::frames);
      if (state == State.FRAMES) {
        initiator.readAgain(LinkSide.HANDSHAKE);
      }
    } else {
      retype(LinkType.LEGACY);
      relay();
    }
  }

  /** Both halves of the handshake are there, or as much as there will be. */
  private void begun() {
    if (unknown == null || type == LinkType.TLS) {
      metrics.began(LinkOutcome.OK);
    } else {
      metrics.began(LinkOutcome.UNKNOWN_PASSED);
      listening.logUnknown(loop.now(), unknown, ClientAddress.of(initiator.channel()));
    }
  }

  private void refuse() {
    metrics.began(LinkOutcome.UNKNOWN_REFUSED);
    fail("no rule can look into " + unknown + (listening.isStrict() ? ", and strict is true" : ""));
  }

  private boolean isRewrittenStream() {
    return handshake.isModernStream() && listening.addresses() != null;
  }

  private void rewriteStream() {
    stream =
        new LinkStream(
            listening.addresses(),
            handshake.version(),
            this::writeToServer,
            this::writeToInitiator);
  }

  private void toInitiator(ByteBuf bytes) {
    if (stream == null) {
      writeToInitiator(bytes);
    } else {
      stream.readBack(bytes);
      streamRead();
    }
  }

  private void streamRead() {
    hold(stream.heldBytes() + early.length());
    if (stream.isLost() && !unreadLogged) {
      streamUnread("one of its messages could not be read");
    }
  }

  private void streamUnread(String why) {
    unreadLogged = true;
    metrics.streamUnread();
    log("addresses stay from here on: " + why);
  }

  private void writeToInitiator(ByteBuf bytes) {
    loop.metrics().bytes(Direction.CLIENT_OUT, bytes.readableBytes());
    initiator.write(bytes);
  }

  /** Bytes from now on, whatever they are. */
  private void relay() {
    state = State.RELAY;
    hold(0);
    handOutEarly(this::toServer);
    initiator.readAgain(LinkSide.HANDSHAKE);
  }

  @Override
  public void flushed() {
    if (readAt != 0) {
      metrics.ownTime(System.nanoTime() - readAt);
      readAt = 0;
    }
  }

  @Override
  public boolean isFull() {
    return state == State.FRAMES && !acceptor.channel().isWritable();
  }

  @Override
  public boolean answer(Rejected rejected) {
    if (state != State.FRAMES) {
      return false;
    }
    messages.answer(rejected);
    return true;
  }

  // --- memory and time ----------------------------------------------------------------------

  private void starveIfTight() {
    if (state != State.CLOSED && !initiator.isStopped(LinkSide.MEMORY) && loop.memory().isTight()) {
      initiator.stopReading(LinkSide.MEMORY);
      if (acceptor != null) {
        acceptor.stopReading(LinkSide.MEMORY);
      }
      keeper.starves(this);
    }
  }

  /** Reading goes on that had stopped for want of memory. */
  void feed() {
    initiator.readAgain(LinkSide.MEMORY);
    if (acceptor != null) {
      acceptor.readAgain(LinkSide.MEMORY);
    }
  }

  /** Called every now and then. */
  void sweep(boolean draining) {
    initiator.sweep();
    if (acceptor != null) {
      acceptor.sweep();
    }
    followListener();
    if (state == State.CLOSED) {
      return;
    }
    long idleNanos = TimeUnit.MILLISECONDS.toNanos(limits().idleMillis());
    if (awaitsPeer && loop.now() - deadline >= 0) {
      late();
    } else if (idleNanos > 0 && loop.now() - lastRead > idleNanos) {
      close();
    } else if ((draining || moved || listening.isRetired()) && type != LinkType.STREAMING) {
      leave();
    } else if (state == State.FRAMES
        && messages.waitsUnsurely()
        && loop.now() - followingSince > links.leavingNanos()) {
      fail("the configuration has changed, and where a message of it ends cannot be told");
    }
  }

  /** Goes over to what its listener says since the configuration changed. */
  private void followListener() {
    LinkListening newest = listening.newest();
    if (newest == listening || state == State.CLOSED) {
      return;
    }
    boolean goesOn = upstream == null || listening.leadsAs(newest, handshake.from());
    listening = newest;
    if (!goesOn) {
      moved = true; // what the server was told of it, or where it is, is no longer true
    }
    if (moved && type != LinkType.STREAMING) {
      leave();
    } else if (state == State.FRAMES) {
      messages.follow(newest);
      followingSince = loop.now();
      if (leadsTo == null || !leadsTo.equals(newest.node())) {
        unregister();
        register();
      }
    }
  }

  /** Ends the link behind the message under way: its initiator opens another one. */
  private void leave() {
    if (leavingSince == 0) {
      leavingSince = loop.now();
      if (state == State.FRAMES) {
        messages.leave();
      }
    }
    boolean isBetween =
        switch (state) {
          case FRAMES -> messages.hasLeft();
          case RELAY -> loop.now() - lastRead > QUIET_NANOS;
          default -> true; // nothing of a message has left
        };
    if (isBetween) {
      close();
    } else if (loop.now() - leavingSince > links.leavingNanos()) {
      fail("a message was not whole in time, and the link is to end");
    }
  }

  private void late() {
    if (state == State.INITIATE) {
      metrics.began(LinkOutcome.NO_INITIATE);
      fail("no whole handshake within " + limits().handshakeMillis() + " ms");
    } else {
      metrics.began(LinkOutcome.NO_ACCEPT);
      fail("no answer from its server within " + limits().handshakeMillis() + " ms");
    }
  }

  // --- the end ------------------------------------------------------------------------------

  private void fail(String reason) {
    log("closed: " + reason);
    close();
  }

  private void log(String what) {
    SocketAddress peer = ClientAddress.of(initiator.channel());
    LOG.warn(
        "listener {}: {} link of {} from {}: {}",
        listening.name(),
        type.label(),
        handshake.from() == null ? "an unknown node" : handshake.from(),
        peer,
        what);
  }

  private void close() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    unregister();
    if (handingOut == 0) {
      release();
    }
    initiator.close();
    if (acceptor != null) {
      acceptor.close();
    }
    endIfClosed();
  }

  /** Closes it without waiting for what is on its way. */
  void abort() {
    close();
    initiator.abort();
    if (acceptor != null) {
      acceptor.abort();
    }
  }

  private void release() {
    handshake.release();
    early.clear();
    if (messages != null) {
      messages.close();
    }
    if (stream != null) {
      stream.close();
    }
    hold(0);
  }

  @Override
  public void tlsFailed(LinkSide side, TlsException failure) {
    if (state == State.CLOSED) {
      return;
    }
    if (state == State.INITIATE) {
      metrics.began(LinkOutcome.INVALID);
    } else if (awaitsPeer) {
      metrics.began(LinkOutcome.NO_ACCEPT);
    }
    fail((side == acceptor ? "its server: " : "") + failure.getMessage());
  }

  @Override
  public void closed(LinkSide side) {
    if (side == acceptor) {
      upstream.closed();
      if (awaitsPeer && state != State.CLOSED) {
        metrics.began(LinkOutcome.NO_ACCEPT);
        log("closed: its server closed instead of answering");
      }
    } else if (state == State.INITIATE) {
      metrics.began(LinkOutcome.NO_INITIATE);
    }
    close();
    endIfClosed();
  }

  private void endIfClosed() {
    if (!gone && !initiator.isOpen() && (acceptor == null || !acceptor.isOpen())) {
      gone = true;
      keeper.remove(this);
      listening.leave(type);
    }
  }
}
