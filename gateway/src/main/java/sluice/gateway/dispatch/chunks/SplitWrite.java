package sluice.gateway.dispatch.chunks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.Status;
import sluice.codecs.split.PieceKeys;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.exchange.Bridged;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.protocol.LateReply;

/**
 * A value that is stored in pieces: these first, then its head by the request that the client has
 * sent, whose reply is the client's. So nobody finds a head whose pieces are not there yet. If a
 * piece is refused, the old value goes where memcached lets it go with a value that it refuses.
 */
final class SplitWrite extends PieceRequests {
  private enum Step {
    PIECES,
    HEAD,
    DELETE,
    DONE
  }

  private final SliceList value;
  private final long exptime;
  private final byte[] key;
  private final boolean replaces; // whatever there is
  private final Pool pool;
  private final ServerConnection first;
  private Bridged bridged; // of the head, until that is sent
  private ByteBuf head; // until it is sent
  private Step step = Step.PIECES;
  private boolean sent; // the step's request
  private boolean waitsForTurn;
  private Status refusal;
  private String refusalText;

  /**
   * A value, and the request for its head.
   *
   * @param context the request as its client has sent it; its value is taken
   * @param whole the client's exchange
   * @param stamp of the value
   * @param bridged of the head; consumed
   * @param head the request for the head, whole; consumed
   */
  SplitWrite(
      RequestContext context,
      Exchange whole,
      Split split,
      long stamp,
      Bridged bridged,
      ByteBuf head) {
    super(context.sender(), context.contexts(), context.client(), split, context.dialect(), whole);
    Request request = context.request();
    SliceList taken = context.value();
    this.pool = split.home();
    this.first = context.connection();
    this.bridged = bridged;
    this.head = head;
    exptime = request.exptime;
    replaces = request.operation == Operation.SET && !request.comparesCas;
    key = new byte[request.keyLength()];
    request.key.getBytes(request.keyFrom, key);
    of(
        new PieceKeys(request.key, request.keyFrom, request.keyTo, stamp),
        taken.length(),
        split.pieceLength());
    value = new SliceList(worker.loop().slices());
    taken.moveTo(value);
    client.holdValue(value.length());
    whole.splitInto(this);
  }

  @Override
  public void begin() {
    whole.askServers(worker.loop().now());
    client.waitsForAll();
    schedule();
  }

  @Override
  boolean isDecided() {
    return refusal != null || step != Step.PIECES || super.isDecided();
  }

  @Override
  void request(int index, RequestContext context) {
    client.holdValue(-lengthOf(index));
    SliceList piece = context.value();
    value.moveTo(piece, lengthOf(index));
    split.sum().reset();
    for (int i = 0; i < piece.count(); i++) {
      split.sum().add(piece.get(i));
    }
    Request request = context.request().clear(Operation.SET);
    request.flags = split.sum().sum();
    request.exptime = exptime;
    request.setsExptime = true;
    request.valueLength = lengthOf(index);
  }

  @Override
  void answered(int index, Piece of) {
    if (of.status != Status.OK && refusal == null) {
      refusal = of.status.isError() ? of.status : Status.SERVER_ERROR;
      refusalText = of.error;
    }
  }

  @Override
  void end() {
    if (sent) {
      return;
    }
    if (failure != null) {
      fail(failure);
    } else if (refusal != null && !replaces) {
      refuse();
    } else {
      step = refusal != null ? Step.DELETE : Step.HEAD;
      sendStep();
    }
  }

  private void sendStep() {
    ByteBuf name = Unpooled.wrappedBuffer(key);
    Server server = pool.server(pool.serverOf(name, 0, key.length), dialect);
    ServerConnection connection = connectionTo(server);
    if (connection == null) {
      if (failure != null) {
        fail(failure);
      }
      return;
    }
    if (connection != first && !client.isTurnOf(whole)) {
      waitsForTurn = true; // earlier requests are still to be answered on another one
      return;
    }
    if (step == Step.HEAD && pool.writer(connection, dialect) != pool.writer(first, dialect)) {
      // It would be read otherwise: as another request, and its value as a further one.
      fail("server " + server.name() + " was replaced by one of another version");
      return;
    }
    sent = true;
    if (step == Step.DELETE) {
      delete(connection, name);
      return;
    }
    Bridged of = bridged;
    ByteBuf request = head;
    bridged = null;
    head = null;
    connection.expect(part(NO_PIECE, of, whole.hides()));
    connection.write(request);
  }

  /** What was there goes, as it does where memcached refuses the value that was to replace it. */
  private void delete(ServerConnection connection, ByteBuf name) {
    RequestContext context = contexts.take();
    context.request().clear(Operation.DELETE).key(name, 0, key.length);
    RequestWriter writer = pool.writer(connection, dialect);
    ByteBuf asked = sender.plainHead(context, writer, new Piece(), connection.nextOpaque());
    Bridged of = context.takeBridged();
    contexts.give(context);
    if (asked == null) {
      refuse();
      return;
    }
    connection.expect(part(NO_PIECE, of, Exchange.HIDE_NOTHING));
    connection.write(asked);
  }

  @Override
  public void turn() {
    if (waitsForTurn) {
      waitsForTurn = false;
      schedule();
    }
  }

  @Override
  void otherAnswered(Exchange part, String why) {
    if (whole == null) {
      drop(part); // the client has gone meanwhile
      return;
    }
    if (step == Step.DELETE) {
      drop(part);
      refuse();
    } else if (why != null) {
      drop(part);
      fail(why);
    } else {
      whole.outcome(part.outcome());
      part.movePieces(whole);
      drop(part);
      answer(null);
    }
  }

  /** What a server has said of a piece is the answer. */
  private void refuse() {
    Bridged of = bridged;
    bridged = null;
    whole.bridge(of);
    LateReply.error(whole, refusal, refusalText, new Reply(), worker.loop());
    answer(null);
  }

  private void fail(String why) {
    whole.outcome(Outcome.SERVER_DOWN);
    answer(whole.hides() == Exchange.HIDE_ALL ? null : client.failureReply(whole, why));
  }

  private void answer(ByteBuf reply) {
    step = Step.DONE;
    Exchange of = whole;
    whole = null;
    of.splitInto(null);
    of.serversAnswered(worker.loop().now());
    release();
    client.answer(of, reply);
  }

  private void release() {
    dropPieces();
    client.holdValue(-value.length());
    value.clear();
    if (head != null) {
      head.release();
      head = null;
    }
    if (bridged != null) {
      worker.exchanges().give(bridged);
      bridged = null;
    }
  }

  @Override
  public void cancel() {
    whole = null;
    release();
  }
}
