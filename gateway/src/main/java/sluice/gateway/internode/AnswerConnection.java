package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.ProtocolException;
import sluice.codecs.internode.Accept;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.gateway.loop.Connection;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.net.PeerLoss;
import sluice.gateway.net.Sockets;
import sluice.gateway.tls.TlsException;

/**
 * Connection of the gateway's own from one node's address to another node, for answers that no link
 * can carry. It is closed after an idle period.
 */
final class AnswerConnection extends Connection {
  /** Owner of the connection. */
  interface Owner {
    /** The counters of the listener whose rule removed the request. */
    InternodeMetrics metrics(Rejected rejected);

    /** It takes no more answers. */
    void remove(AnswerConnection connection);
  }

  private static final Logger LOG = LoggerFactory.getLogger(AnswerConnection.class);
  private static final int MAX_WAITING = 128;
  private static final int MAX_INITIATE = 31;

  /** The most bytes that the node has not taken; further answers are dropped. */
  private static final int MAX_PENDING = 64 * 1024;

  /** How long a node may take to read the rest after the end. */
  private static final long ENDING_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int CONNECT_TIMEOUT_MILLIS = 2_000;
  private static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long no further connection is tried after a failure. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private enum State {
    CONNECTING,
    ACCEPT, // the node answers the handshake
    OPEN,
    OVER
  }

  private final LinkLoop links;
  private final Owner owner;
  private final Rejected first;
  private final Reach reach;
  private final InetSocketAddress from;
  private final InetSocketAddress to;
  private final int maxVersion;
  private final ArrayDeque<Rejected> waiting = new ArrayDeque<>();
  private final ByteBuf accept;
  private State state = State.CONNECTING;
  private int version; // known from OPEN on
  private long since; // time at which the state began, or of the last answer

  AnswerConnection(LinkLoop links, Owner owner, Rejected first, Reach reach) {
    super(links.loop());
    this.first = first;
    this.reach = reach;
    this.links = links;
    this.owner = owner;
    this.from = first.target();
    this.to = first.requester();
    this.maxVersion = first.maxVersion();
    this.accept = loop.buffer(Accept.LENGTH);
    this.since = loop.now();
  }

  /** The first rejected request that it answers. */
  Rejected first() {
    return first;
  }

  /** Whether it leads to the same address, and uses TLS alike. */
  boolean leadsTo(@Nullable Reach now) {
    return now != null
        && now.address().equals(reach.address())
        && (now.tls() == null) == (reach.tls() == null);
  }

  void connect() {
    links
        .connect(reach, CONNECT_TIMEOUT_MILLIS)
        .onComplete(this::connected, failure -> fail("it is unreachable: " + failure.getMessage()));
  }

  private void connected(NetSocket socket) {
    loop.tick();
    if (state == State.OVER) {
      Sockets.channel(socket).close();
      return;
    }
    socket.exceptionHandler(failure -> {}); // the socket's close event follows
    state = State.ACCEPT;
    since = loop.now();
    Sockets.install(socket, this);
    PeerLoss.probe(channel());
    PeerLoss.userTimeout(channel(), LinkSide.USER_TIMEOUT_MILLIS);
    ByteBuf initiate = loop.buffer(MAX_INITIATE);
    Initiate.writeMessaging(
        initiate,
        ConnectionType.URGENT,
        Framing.CRC,
        Initiate.FIRST_MODERN,
        Initiate.FIRST_MODERN,
        maxVersion,
        from);
    send(initiate);
    if (!isOpen()) {
      fail("it closed the connection");
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    loop.tick();
    ByteBuf bytes = (ByteBuf) message;
    loop.metrics().bytes(Direction.SERVER_IN, bytes.readableBytes());
    try {
      if (state == State.ACCEPT) {
        accept.writeBytes(bytes, Math.min(bytes.readableBytes(), accept.writableBytes()));
        if (accept.writerIndex() >= Accept.LENGTH) {
          accepted();
        }
      }
    } finally {
      bytes.release();
    }
  }

  private void accepted() {
    try {
      Accept.check(accept, 0);
    } catch (ProtocolException e) {
      fail(String.valueOf(e.getMessage()));
      return;
    }
    int use = Accept.useVersion(accept, 0);
    if (!LinkHandshake.isKnown(use)) {
      fail("it uses the unknown version " + use);
      return;
    }
    version = use;
    state = State.OPEN;
    while (!waiting.isEmpty()) {
      write(waiting.poll());
    }
  }

  /** Sends an answer as soon as possible. */
  void send(Rejected rejected) {
    if (state == State.OPEN && pendingBytes() < MAX_PENDING) {
      write(rejected);
    } else if (isBeginning() && waiting.size() < MAX_WAITING) {
      waiting.add(rejected);
    } else {
      owner.metrics(rejected).unanswered();
    }
  }

  private boolean isBeginning() {
    return state == State.CONNECTING || state == State.ACCEPT;
  }

  private void write(Rejected rejected) {
    since = loop.now();
    send(FailureFrame.of(rejected, Framing.CRC, version, loop));
    owner.metrics(rejected).answered();
  }

  private void send(ByteBuf bytes) {
    loop.metrics().bytes(Direction.SERVER_OUT, bytes.readableBytes());
    write(bytes);
  }

  void sweep() {
    account();
    if (state == State.OVER) {
      if (loop.now() - since > RETRY_NANOS) {
        owner.remove(this);
      }
    } else if (state == State.OPEN && loop.now() - since > IDLE_NANOS) {
      end();
      owner.remove(this);
    } else if (state == State.ACCEPT && loop.now() - since > HANDSHAKE_NANOS) {
      fail("it did not answer the handshake in time");
    }
  }

  /** Whether it has ended and closed; aborts it if its node does not take the rest. */
  boolean isGone() {
    account();
    abortIfClosingFor(ENDING_NANOS);
    return !isOpen();
  }

  /** Ends it; waiting requests are not answered. */
  void fail(String why) {
    loop.tick();
    if (state != State.OVER) {
      LOG.warn("cannot tell {} that its requests to {} were rejected: {}", to, from, why);
    }
    end();
  }

  /** Ends it after what was sent; waiting requests are not answered. */
  void end() {
    if (state != State.OVER) {
      state = State.OVER;
      since = loop.now();
      accept.release();
      while (!waiting.isEmpty()) {
        owner.metrics(waiting.poll()).unanswered();
      }
      close();
    }
  }

  @Override
  protected void lost(IOException failure) {
    if (failure instanceof TlsException) {
      fail(String.valueOf(failure.getMessage()));
    }
  }

  @Override
  protected void closed() {
    if (isBeginning()) {
      fail("it closed the connection");
    } else if (state == State.OPEN) {
      end();
      owner.remove(this); // the next answer opens another
    }
  }
}
