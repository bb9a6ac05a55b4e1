package sluice.gateway.server.connection;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.PendingReply.Requester;
import sluice.gateway.request.ReplyReceiver;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.protocol.ReplyAssembler;
import sluice.gateway.server.protocol.ReplyDecoder;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerProtocol;

/**
 * Reader of the replies on one server connection. It hands replies to their receivers. It pauses
 * while one of them accepts none, and after much work on values, so that other sockets are served.
 * If a reply does not arrive in time, it writes an error in its place.
 */
public final class ReplyReader implements ReplyReceiver.Resumable {
  /** Connection whose replies are read. */
  interface Owner {
    boolean isOpen();

    /** Whether an acquirer has kept it, so that it is closed after the acquirer's reply. */
    boolean isDetached();

    /** Number of requests, the last in the queue, that the server cannot have seen. */
    int unsent();

    /** Schedules a call of {@link #readOn} for after the sockets that are ready now. */
    void readOnLater();

    /** Pauses reading of the socket. */
    void stopReading();

    /** Resumes reading of the socket; returns false if it stays paused for another reason. */
    boolean readAgain();

    /** Tells other event loops whether the socket is read. */
    void tellOfPause();

    /** Accepts requests only from clients that already have some on it. */
    void acceptNoMore();

    /**
     * All receivers accept replies again: the connection accepts requests again, or is closed.
     *
     * @param owedLateReply whether the server owes a reply whose request was answered already
     */
    void acceptAgain(boolean owedLateReply);

    /** Accepts no new requests until the late replies have come; others use another connection. */
    void standAside();

    /** Closes for a reason that affects the server's health. */
    void fail(String reason);

    /** Closes for a reason that does not affect the server's health. */
    void failForClient(String reason);
  }

  private static final Logger LOG = LoggerFactory.getLogger(ReplyReader.class);

  private final Owner connection;
  private final ServerContext server;
  private final RingQueue<ServerRequest> queue;
  private final ReplyAssembler assembler;
  private final ReplyDecoder decoder;
  private final ReadPauses pauses;
  private final Timeouts timeouts;
  private final SlowClients slowClients;
  private @Nullable ByteBuf rest; // bytes that came before a pause; null if there are none
  private boolean readsOn; // as soon as other sockets were handled

  /** A reader of the replies to the requests in queue, which were sent on connection. */
  ReplyReader(
      Owner connection,
      ServerProtocol protocol,
      ServerTransport transport,
      RingQueue<ServerRequest> queue,
      ServerContext server) {
    this.connection = connection;
    this.server = server;
    this.queue = queue;
    assembler = new ReplyAssembler(new Assembled(), queue, server);
    decoder = protocol.replyDecoder(assembler, queue, server);
    pauses = new ReadPauses(server.loop(), transport);
    timeouts = new Timeouts(new Watched(), server, queue, pauses);
    slowClients = new SlowClients(this, queue, server.loop(), this::stopReading, this::readAgain);
  }

  /** The connection, as {@link ReplyAssembler} sees it. */
  private final class Assembled implements ReplyAssembler.Owner {
    @Override
    public boolean isDetached() {
      return connection.isDetached();
    }

    @Override
    public void checkPressure(ReplyReceiver receiver, @Nullable PendingReply reply) {
      ReplyReader.this.checkPressure(receiver, reply);
    }

    @Override
    public boolean isPaused() {
      return connection.isOpen() ? pauses.isPausing() : !slowClients.isMemoryLeft();
    }

    @Override
    public boolean mayReadLater() {
      return connection.isOpen();
    }

    @Override
    public long pausedNanos() {
      return pauses.untilNow();
    }
  }

  /** The connection, as {@link Timeouts} sees it. */
  private final class Watched implements Timeouts.Watched {
    @Override
    public boolean isDetached() {
      return connection.isDetached();
    }

    @Override
    public boolean isInsideReply() {
      return decoder.isInsideReply();
    }

    @Override
    public boolean isFull() {
      return ReplyReader.this.isFull();
    }

    @Override
    public boolean isHeldUpBy(Requester client) {
      return client.holdsUp(ReplyReader.this);
    }

    @Override
    public void standAside() {
      connection.standAside();
    }

    @Override
    public void fail(String reason) {
      connection.fail(reason);
    }

    @Override
    public void failForClient(String reason) {
      connection.failForClient(reason);
    }
  }

  /** Reads the next bytes. Borrows bytes. */
  void read(ByteBuf bytes) {
    int sent = queue.size() - connection.unsent();
    if (rest == null) {
      assembler.read(bytes, decoder, sent);
      keepRest(bytes);
    } else { // a socket may bring more after it was paused: TLS has several records, say
      assembler.answerable(sent);
      int before = rest.readableBytes();
      ByteBuf joined = server.loop().buffer(before + bytes.readableBytes());
      // rest stays as long as it was accounted for
      joined.writeBytes(rest, rest.readerIndex(), before).writeBytes(bytes);
      server.loop().buffered(joined.readableBytes());
      releaseRest();
      rest = joined;
    }
  }

  /**
   * Reads on after a pause, if it is still over. If the connection has closed, a pause has no
   * effect any more: the replies that had come are delivered as far as memory is left.
   *
   * @return whether there was something to read
   */
  boolean readOn() {
    ByteBuf bytes = rest;
    if (bytes == null || (!readsOn && connection.isOpen())) {
      return false;
    }
    readsOn = false;
    rest = null;
    server.loop().buffered(-bytes.readableBytes());
    if (pauses.isPausing()) {
      pauses.end();
    }
    try {
      assembler.readOn(bytes, decoder);
      keepRest(bytes);
    } finally {
      bytes.release();
    }
    if (rest == null && !pauses.isPausing()) {
      readAgain();
    }
    return true;
  }

  /** Keeps what was not read, because of a pause or for other sockets. Borrows bytes. */
  private void keepRest(ByteBuf bytes) {
    if (!bytes.isReadable() || !connection.isOpen()) {
      return;
    }
    rest = bytes.retain();
    server.loop().buffered(bytes.readableBytes());
    if (pauses.isPausing()) {
      return;
    }
    if (assembler.hasMadeMuch()) {
      stopReading();
    }
    readAgain(); // else the pause ended with the last bytes that were written
  }

  private void releaseRest() {
    if (rest != null) {
      server.loop().buffered(-rest.readableBytes());
      rest.release();
      rest = null;
    }
  }

  /** Whether replies have come that were not read because of a pause. */
  public boolean hasRest() {
    return rest != null;
  }

  /** Writes the replies read so far, and keeps the run open for more of them. */
  void flushRun() {
    assembler.flushRun();
  }

  /** The times during which the connection was not read. */
  public ReadPauses pauses() {
    return pauses;
  }

  /** Bytes of an incomplete head of a reply; null if there are none. */
  public @Nullable ByteBuf partialHead() {
    return decoder.partialHead();
  }

  /** Called every few milliseconds, while requests are in flight. */
  void sweep() {
    slowClients.sweep(server.timeoutNanos());
    timeouts.sweep();
  }

  // --- back-pressure ------------------------------------------------------------------------

  /**
   * Pauses reading if receiver, which just got bytes, has too many to take.
   *
   * @param reply that is being read, or null
   */
  public void checkPressure(ReplyReceiver receiver, @Nullable PendingReply reply) {
    slowClients.checkMemory();
    boolean next = reply == null || reply.isNeededNext();
    if (receiver.isFull(next) && connection.isOpen() && receiver.pauses(this)) {
      connection.acceptNoMore();
      slowClients.add();
    }
  }

  /** Whether reading is paused because of a receiver that accepts no replies. */
  boolean isFull() {
    return slowClients.hasClients();
  }

  /** Sets whether other event loops have unread bytes. */
  public void waitsForSharers(boolean now) {
    slowClients.behind(now);
  }

  private void stopReading() {
    readsOn = false;
    pauses.begin();
    connection.stopReading();
    connection.tellOfPause();
  }

  private void readAgain() {
    if (rest != null) {
      if (!readsOn) {
        readsOn = true;
        connection.readOnLater();
      }
      return; // what was read comes first; until then it is paused
    }
    if (connection.readAgain() && pauses.isPausing()) {
      pauses.end();
    }
    connection.tellOfPause();
  }

  @Override
  public boolean bringsNextOf(ReplyReceiver receiver) {
    for (int i = 0; i < queue.size(); i++) {
      PendingReply reply = queue.get(i).reply();
      if (reply != null && reply.requester() == receiver) {
        return reply.isNeededNext();
      }
    }
    return true;
  }

  @Override
  public void resumed() {
    slowClients.remove();
    if (!slowClients.hasClients()) {
      connection.acceptAgain(timeouts.isOwedLateReply());
    }
  }

  // --- the end ------------------------------------------------------------------------------

  /** The connection is lost: its requests fail for this reason, or are retried. */
  void lose(LostReads retries, String reason) {
    boolean insideReply = decoder.isInsideReply();
    boolean insideValue = decoder.isInsideValue();
    int lost = queue.size();
    for (int i = 0; i < lost; i++) {
      ServerRequest request = queue.poll();
      PendingReply reply = request.reply();
      try {
        if (reply == null) {
          server.requestPool().give(request);
          continue;
        }
        request.answered(server.loop().now(), pauses.untilNow());
        if ((i == 0 && insideReply) || !retries.take(request)) {
          Unanswered.lose(request, server, i == 0 && insideValue, reason);
        } else {
          reply.askServers(server.loop().now()); // the time of the next server adds to this one's
        }
      } catch (Throwable e) { // the requests behind it must still be failed
        LOG.error("a lost request could not be failed: an internal error", e);
      }
    }
  }

  /** Releases the bytes of an incomplete reply. */
  void release() {
    releaseRest();
    decoder.release();
    assembler.cancelContinued();
  }
}
