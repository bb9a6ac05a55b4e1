package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.gateway.dispatch.ClientSession.LineEnd;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.Lending;
import sluice.gateway.server.Server;
import sluice.gateway.server.TextErrors;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.Room;

/**
 * A request that must not share a connection: a value too large to be gathered, or a command that
 * takes a connection over. It begins when all earlier requests of its client are answered, and the
 * next begins when it is: so nothing overtakes it, and it overtakes nothing.
 *
 * <p>Its reply is withheld until the client has sent all of it. The server's time begins then, too:
 * before, whoever is slow is the client, or this gateway, which does not read it.
 *
 * <p>A value is sent as it comes. While all connections for that are lent, perhaps to clients that
 * have stopped in the middle of a value, it is <em>gathered</em> if there is plenty of memory, and
 * takes a connection that only whole values are sent over. It is too large for the shared
 * connections: requests of other clients would wait behind it while the server does not read.
 */
public final class LentRequest implements Lending.Borrower {
  /** The last byte of a value, kept until its line end is known to be one, and that. */
  private static final int CUT_TAIL = 3;

  /**
   * Of a value for whose connection others wait, so many bytes, or one of so many parts of it if
   * that is less, must come in each {@code limits.stall}.
   */
  private static final int LEAST_SENT = 64 * 1024;

  private static final int SHARES_SENT = 16;

  /** Nanoseconds that do not pass. */
  private static final long FOREVER = Long.MAX_VALUE / 2;

  private final ClientConnection client;
  private Server server;
  private ServerConnection connection;
  private Exchange exchange;
  private ByteBuf head;
  private ByteBuf tail; // with a line end to be cut
  private LineEnd ending = LineEnd.KEPT;
  private int remaining;
  private boolean keeps;
  private boolean waiting;
  private boolean gathers; // the value, of which something is still to come
  private boolean sends; // what was gathered, of which something has not been written
  private Pieces gathered; // null before the first; their room is kept until the answer
  private int leastSent; // in a time, so that it does not stand still
  private long arrived; // bytes of values
  private long arrivedThen; // when it was last seen that enough more had come
  private long arrivedAt; // when that was
  private int looks; // since then

  LentRequest(ClientConnection client) {
    this.client = client;
  }

  /** Whether one is under way. */
  boolean isActive() {
    return exchange != null || remaining > 0;
  }

  /** Bytes of the value that the client has yet to send, line end included. */
  int remaining() {
    return remaining;
  }

  /**
   * Begins. The ring holds nothing but exchange.
   *
   * @param head what is sent first; consumed
   * @param body bytes that follow it, given to {@link #body}
   * @param keeps whether the connection is never given back
   */
  public void begin(Server server, Exchange exchange, ByteBuf head, int body, boolean keeps) {
    begin(server, exchange, head, body, keeps, LineEnd.KEPT);
  }

  /** As the other, of a body behind which a line end is cut or added; one cut is part of body. */
  public void begin(
      Server server, Exchange exchange, ByteBuf head, int body, boolean keeps, LineEnd ending) {
    this.ending = ending;
    this.server = server;
    this.exchange = exchange;
    this.head = head;
    this.remaining = body;
    this.keeps = keeps;
    leastSent = Math.min(LEAST_SENT, Math.max(1, body / SHARES_SENT));
    client.withhold(body > 0);
    if (!beginGathering()) {
      waiting = true;
      client.pauseFor(ClientConnection.LENDING);
      server.lend(this);
    }
  }

  /** Nothing of the value has come yet: gathers it if that is better than to wait. */
  private boolean beginGathering() {
    Room room = client.worker.room();
    if (remaining == 0
        || server.lendsAtOnce()
        || !client.worker.loop().memory().isAmpleWith(remaining)
        || !room.takeNow(remaining)) {
      return false;
    }
    if (gathered == null) {
      gathered = new Pieces(client.worker.loop(), client, room);
    }
    gathered.begin(remaining);
    gathers = true;
    return true;
  }

  /** Whether a value is being gathered. */
  boolean gathers() {
    return gathers;
  }

  @Override
  public boolean isWaiting() {
    return waiting;
  }

  @Override
  public void lent(ServerConnection lent) {
    waiting = false;
    if (isMetaSet(head) && !lent.version().speaksMeta()) {
      server.giveBack(lent);
      refused(
          "server " + server.name() + " does not know ms"); // it would run the value as commands
      return;
    }
    connection = lent;
    if (keeps) {
      server.detach(lent);
    }
    sends = remaining == 0 && gathered != null && gathered.hasRoom();
    restart();
    lent.expect(exchange);
    ByteBuf bytes = head;
    head = null;
    lent.write(bytes);
    client.withhold(remaining > 0 || sends);
    goOn();
    sendMore();
  }

  /**
   * Sends what was gathered as fast as the server takes it. Its time begins when all is sent, as if
   * the value had been sent as it came.
   */
  void sendMore() {
    if (!sends || connection == null || !connection.isOpen() || exchange.isComplete()) {
      return;
    }
    if (gathered.writeSome(connection)) {
      sends = false;
      restart();
      endSending();
    } else if (connection.isOpen()) {
      client.waitForLent(server);
    }
  }

  private void endSending() {
    sends = false;
    client.withhold(false);
    if (exchange.isComplete()) {
      client.advance();
    }
  }

  /** Whether something of a value that is here as a whole has not been written. */
  boolean sends() {
    return sends;
  }

  private static boolean isMetaSet(ByteBuf head) {
    return head.readableBytes() > 3 && head.getMedium(0) == ('m' << 16 | 's' << 8 | ' ');
  }

  @Override
  public void refused(String reason) {
    waiting = false;
    head.release();
    head = null;
    releaseGathered();
    client.fail(exchange, reason); // what follows of the value is read and dropped
    goOn();
  }

  private void goOn() {
    client.goOnFrom(ClientConnection.LENDING);
  }

  private void restart() {
    long now = client.worker.loop().now();
    exchange.restart(remaining > 0 || sends ? now + FOREVER : now);
  }

  /** The next bytes of the value, or some of them; advances in over what it took. Borrows in. */
  void body(ByteBuf in) {
    checkReply();
    int length = Math.min(remaining, in.readableBytes());
    remaining -= length;
    arrived += length;
    if (!isWanted()) {
      in.skipBytes(length);
    } else {
      take(in, length);
      if (!gathers && !connection.channel().isWritable() && connection.isOpen()) {
        client.waitForLent(server);
      }
    }
    if (remaining == 0) {
      end();
      if (exchange != null) { // it is not answered yet
        restart();
        client.withhold(sends);
        if (exchange.isComplete()) {
          client.advance();
        }
      }
    }
  }

  /** Whether the bytes of the value go somewhere. */
  private boolean isWanted() {
    return (gathers || (connection != null && connection.isOpen())) && !exchange.isComplete();
  }

  private void take(ByteBuf in, int length) {
    int now =
        ending == LineEnd.CUT ? Math.max(0, length - Math.max(0, CUT_TAIL - remaining)) : length;
    if (now > 0) {
      put(in, now);
    }
    if (now < length) {
      if (tail == null) {
        tail = client.worker.loop().buffer(CUT_TAIL);
      }
      tail.writeBytes(in, length - now);
    }
  }

  /** Sends the next length bytes of in, or keeps them; advances over them. Borrows in. */
  private void put(ByteBuf in, int length) {
    if (gathers) {
      gathered.add(in, length);
    } else {
      connection.write(client.worker.loop().readSlice(in, length));
    }
  }

  /** The value is all here: sends what was kept of it, and ends it as its server wants. */
  private void end() {
    if (isWanted()) {
      if (ending == LineEnd.ADDED) {
        ByteBuf lineEnd = client.worker.loop().buffer(2).writeShort('\r' << 8 | '\n');
        put(lineEnd, lineEnd.readableBytes());
        lineEnd.release();
      } else if (tail != null && tail.getShort(1) == ('\r' << 8 | '\n')) {
        put(tail, 1);
      } else if (tail != null) {
        refuseChunk();
      }
    }
    releaseTail();
    if (gathers) {
      gathers = false;
      sendGathered();
    }
  }

  private void sendGathered() {
    if (exchange.isComplete()) {
      releaseGathered();
      releaseHead();
    } else {
      waiting = true;
      client.pauseFor(ClientConnection.LENDING);
      server.lendForWhole(this);
    }
  }

  /** The server has a value that lacks its last byte, and loses it with its connection. */
  private void refuseChunk() {
    Exchange answered = exchange;
    if (!gathers) {
      answered.detach();
      answered.releasePieces();
      connection.failForClient("its client ended a value with something else");
    }
    answered.outcome(Outcome.PROTOCOL_ERROR);
    client.answer(
        answered,
        answered.hides() == Exchange.HIDE_ALL
            ? null
            : TextErrors.line(client.worker.loop(), "CLIENT_ERROR bad data chunk"));
  }

  private void releaseHead() {
    if (head != null) {
      head.release();
      head = null;
    }
  }

  private void releaseGathered() {
    gathers = false;
    sends = false;
    if (gathered != null) {
      gathered.release();
    }
  }

  private void releaseTail() {
    if (tail != null) {
      tail.release();
      tail = null;
    }
  }

  /**
   * Called a few times a second, and before more is sent: a server that has answered already is
   * sent nothing more. Only a refusal can come so early; any other reply is of a value that the
   * server does not have.
   *
   * @return whether it has answered just now
   */
  boolean checkReply() {
    if ((remaining == 0 && !sends) || connection == null || !exchange.isComplete()) {
      return false;
    }
    ServerConnection used = connection;
    connection = null;
    if (used.isOpen()) {
      String reason = "server " + server.name() + " answered before it had the whole value";
      if (exchange.outcome() == Outcome.OK || exchange.outcome() == Outcome.MISS) {
        server.protocolError(reason);
        exchange.outcome(Outcome.PROTOCOL_ERROR);
        exchange.releasePieces();
        if (exchange.hides() != Exchange.HIDE_ALL) {
          exchange.hold(client.failureReply(exchange, reason));
        }
      }
      used.fail(reason);
    }
    if (sends) {
      endSending();
    }
    return true;
  }

  /**
   * Called a few times a second: looks whether enough more of the value has come, or whether it
   * need not wait any more.
   *
   * @param mayCome whether the client is read, or would be if it read itself
   */
  void look(boolean mayCome) {
    if (waiting && server.hasLentAll() && beginGathering()) {
      waiting = false;
      server.doesNotWait(this);
      goOn();
    }
    looks++;
    if (remaining == 0
        || (connection == null && !gathers)
        || !mayCome
        || arrived - arrivedThen >= leastSent) {
      arrivedAt = client.worker.loop().now();
      arrivedThen = arrived;
      looks = 0;
    }
  }

  /**
   * Whether others wait for a connection because of this one's value, or may have to because of the
   * memory that is kept for it, and too little of it has come for so many nanoseconds.
   */
  boolean keepsOthersFromConnections(long nanos) {
    return standsStillFor(nanos)
        && (server.lacksConnections()
            || (gathers && client.worker.loop().memory().isQuarterUsed()));
  }

  /** Whether room is kept for a value, and too little of it has come for so many nanoseconds. */
  boolean keepsRoomFor(long nanos) {
    return gathers && standsStillFor(nanos);
  }

  private boolean standsStillFor(long nanos) {
    return looks >= OrderedReplies.LOOKS && client.worker.loop().now() - arrivedAt > nanos;
  }

  /** The server takes nothing more of the value: gives up on it. Returns whether it was this. */
  boolean serverTooLate(String reason) {
    if (connection == null || (remaining == 0 && !sends)) {
      return false;
    }
    connection.fail(reason);
    return true;
  }

  /** An exchange of the client is answered: perhaps this one. */
  void answered(Exchange answered) {
    if (answered != exchange) {
      return;
    }
    exchange = null;
    releaseGathered();
    ServerConnection used = connection;
    connection = null;
    if (used == null || !used.isOpen()) {
      return;
    }
    if (keeps) {
      used.failForClient("done");
    } else if (used.pendingBytes() > 0) {
      used.fail("server " + server.name() + " answered before it had the whole value");
    } else {
      server.giveBack(used);
    }
  }

  /** The client is gone: what it left half-said must not stay on a connection. */
  void closed() {
    waiting = false;
    releaseTail();
    releaseGathered();
    releaseHead();
    if (connection != null && connection.isOpen()) {
      connection.failForClient("the client that it was lent to is gone");
    }
    connection = null;
    exchange = null;
    remaining = 0;
  }
}
