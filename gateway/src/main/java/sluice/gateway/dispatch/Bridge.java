package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.IgniteReplyWriter;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.split.SplitHead;
import sluice.gateway.exchange.Bridged;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.gateway.values.Value;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Sends requests in their neutral form: to servers that are spoken to in another dialect than the
 * client speaks, and to pools that work on values. One an event loop; a client's reader fills
 * {@link #request}, and whatever follows is done before the next request is read.
 */
public final class Bridge {
  private static final int LONGEST_KEY = 512;

  private final Worker worker;
  private final Loop loop;
  private final RequestSender sender;
  private final Request request;
  private final Value value;
  private final ByteBuf renamed;
  private final IgniteReplyWriter ignite = new IgniteReplyWriter();
  private final Spreading spreading;
  private final NearReads near;
  private final Split.ChunkReader pieces = this::piecesOf;
  private ServerConnection connection; // for the request
  private int streamed;

  public Bridge(Worker worker) {
    this.worker = worker;
    this.loop = worker.loop();
    sender = new RequestSender(worker);
    request = sender.request();
    value = sender.value();
    this.renamed = loop.buffer(LONGEST_KEY);
    this.spreading = new Spreading(worker, sender, this::send);
    this.near = new NearReads(worker, sender);
  }

  /** What makes heads of the request and writes them. */
  public RequestSender sender() {
    return sender;
  }

  /** The request that is being read. */
  public Request request() {
    return request;
  }

  /** An empty value for the request: whatever is put into it is sent, or released. */
  public Value value() {
    return value;
  }

  /** What answers the request where a near cache can. */
  public NearReads near() {
    return near;
  }

  /** What writes replies to clients that speak Ignite's dialect. */
  public IgniteReplyWriter ignite() {
    return ignite;
  }

  /** The request is known: its key becomes the servers', and what its target does begins. */
  public void prepare(Target target, KeyRewrite rewrite) {
    sender.staysHere();
    if (rewrite != null) {
      renamed.clear();
      rewrite.toServer(request.key, request.keyFrom, request.keyTo, renamed);
      request.key(renamed, 0, renamed.writerIndex());
    }
    if (target.work() != null && target.spread() == null) {
      target.work().prepare(request);
    }
  }

  public Server serverOf(Target target, Dialect client) {
    int index = target.serverOf(request.key, request.keyFrom, request.keyTo);
    return target.server(index, client);
  }

  /**
   * Finds the connection for the request, or those of all pools that it goes to.
   *
   * @return false if there is none: then client has a failure, or waits
   */
  public boolean connect(ClientSession client, Target target, Dialect dialect) {
    boolean connected;
    if (target.spread() != null) {
      connected = spreading.connect(client, target.spread(), dialect, request);
    } else {
      connection = client.connectionTo(serverOf(target, dialect));
      connected = connection != null;
    }
    if (!connected) {
      sender.staysHere();
    }
    return connected;
  }

  /** As below, with replies in the client's dialect of memcached. */
  public ByteBuf send(
      ClientSession client, Command command, Dialect dialect, Target target, int hides) {
    return send(client, command, dialect, RequestSender.replies(dialect), target, hides);
  }

  /**
   * Sends the request, and the value if it has one, over the connection that was found for it, as a
   * new exchange of client.
   *
   * @return null, or the answer for the client if nothing was sent; the caller owns the result
   */
  public ByteBuf send(
      ClientSession client,
      Command command,
      Dialect dialect,
      ReplyWriter replies,
      Target target,
      int hides) {
    if (target.spread() == null) {
      return send(client, command, dialect, replies, target, connection, hides);
    }
    ByteBuf refused =
        spreading.send(client, command, dialect, replies, target.spread(), value, hides);
    sender.staysHere(); // whatever part of it could not be sent
    return refused;
  }

  /** As the first, of a request without a key, or whose pool is prepared: over connection. */
  public ByteBuf send(
      ClientSession client,
      Command command,
      Dialect dialect,
      ReplyWriter replies,
      Target target,
      ServerConnection connection,
      int hides) {
    Bridged bridged = worker.exchanges().takeBridged();
    RequestWriter writer = target.writer(connection, dialect);
    if (!sender.begin(bridged, writer, replies, target)) {
      return sender.refused(bridged);
    }
    Split split = target.split();
    if (split != null && request.operation == Operation.TOUCH) {
      return touch(client, command, dialect, split, connection, bridged, hides);
    }
    if (split != null && split.splits(request, value)) {
      return sendInPieces(client, command, dialect, target, connection, bridged, hides);
    }
    ByteBuf head = sender.written(bridged, writer, connection.nextOpaque());
    if (head == null) {
      return sender.refused(bridged);
    }
    Exchange exchange = client.newExchange(command, Grammar.BRIDGED, hides);
    exchange.binary(request.opcode, request.opaque);
    exchange.bridge(bridged);
    continueBy(split, exchange, dialect);
    connection.expect(exchange);
    sender.mayRepeat(connection, exchange, head);
    client.flushRun();
    sender.write(connection, head, writer.endsValueWithLine());
    return null;
  }

  /** The value that is read may be in pieces, if split is not null. */
  private void continueBy(Split split, Exchange exchange, Dialect dialect) {
    if (split != null && request.operation == Operation.GET) {
      exchange.bridged().remember(request);
      exchange.continueBy(split.reader(dialect, pieces));
    }
  }

  /** The read of the pieces that a head tells of. Consumes before and behind. */
  private Gathering piecesOf(
      Split split, Dialect dialect, Exchange whole, Reply head, Value before, Value behind) {
    return new SplitRead(
        sender, split, dialect, whole, head, before, behind, split.isHeadTooLong());
  }

  private ByteBuf touch(
      ClientSession client,
      Command command,
      Dialect dialect,
      Split split,
      ServerConnection connection,
      Bridged bridged,
      int hides) {
    Exchange whole = client.newExchange(command, Grammar.BRIDGED, hides);
    whole.binary(request.opcode, request.opaque);
    SplitTouch touch = new SplitTouch(sender, client, whole, split, dialect, bridged, request);
    if (!touch.ask(connection)) {
      touch.cannotAsk(sender.refusal());
    }
    return null;
  }

  /** The value is stored in pieces, and a head by the request. */
  private ByteBuf sendInPieces(
      ClientSession client,
      Command command,
      Dialect dialect,
      Target target,
      ServerConnection connection,
      Bridged bridged,
      int hides) {
    Split split = target.split();
    RequestWriter writer = target.writer(connection, dialect);
    boolean clientsBit = (request.flags & split.flag()) != 0;
    long stamp = split.stamp();
    request.flags |= split.flag();
    request.valueLength = SplitHead.LENGTH;
    ByteBuf head = sender.written(bridged, writer, connection.nextOpaque());
    if (head == null) {
      return sender.refused(bridged);
    }
    split.head().write(head, clientsBit, value.length(), split.pieceLength(), stamp);
    if (writer.endsValueWithLine()) {
      head.writeShort('\r' << 8 | '\n');
    }
    Exchange whole = client.newExchange(command, Grammar.BRIDGED, hides);
    whole.binary(request.opcode, request.opaque);
    SplitWrite write =
        new SplitWrite(
            sender,
            client,
            whole,
            target,
            dialect,
            request,
            value,
            stamp,
            connection,
            bridged,
            head);
    write.begin();
    return null;
  }

  /**
   * Sends the request as one of a get of many keys, in an exchange that its gathering has started.
   *
   * @return null, or why it cannot be sent: an error line, without line end
   */
  public String sendPart(
      Exchange part, Dialect dialect, Target target, ServerConnection connection) {
    Bridged bridged = worker.exchanges().takeBridged();
    RequestWriter writer = target.writer(connection, dialect);
    ByteBuf head =
        sender.head(
            bridged, writer, RequestSender.replies(dialect), target, connection.nextOpaque());
    if (head == null) {
      value.clear();
      worker.exchanges().give(bridged);
      return sender.refusal();
    }
    bridged.awaited().asPart();
    part.bridge(bridged);
    continueBy(target.split(), part, dialect);
    connection.expect(part);
    sender.mayRepeat(connection, part, head);
    sender.write(connection, head, writer.endsValueWithLine());
    return null;
  }

  /**
   * Finds the connections for the request, one of a get of many keys, to all pools that it goes to.
   *
   * @return null if the client waits for one
   */
  public Spreading.Members connectPart(ClientSession client, Target target, Dialect dialect) {
    return spreading.connect(client, target.spread(), dialect, request)
        ? spreading.found(target.spread())
        : null;
  }

  /**
   * The first server that {@link #connectPart} would have the client wait for; null if there is
   * none.
   */
  public Server awaited(ClientSession client, Target target, Dialect dialect) {
    return spreading.awaited(client, target.spread(), dialect, request);
  }

  /** As {@link #sendPart}, to all pools that the request goes to. */
  public String sendPart(
      ClientSession client, Exchange part, Target target, Spreading.Members members) {
    return spreading.sendPart(client, part, target.spread(), members);
  }

  /**
   * Sends the request, which has no key, in an exchange that is one of those for all servers.
   *
   * @return null, or what this server would have to answer; the caller owns the result
   */
  public ByteBuf sendKeyless(
      Exchange part,
      Dialect dialect,
      ReplyWriter replies,
      Target target,
      ServerConnection connection) {
    Bridged bridged = worker.exchanges().takeBridged();
    RequestWriter writer = target.writer(connection, dialect);
    ByteBuf head = sender.head(bridged, writer, replies, target, connection.nextOpaque());
    if (head == null) {
      return sender.refused(bridged);
    }
    part.bridge(bridged);
    connection.expect(part);
    connection.write(head);
    return null;
  }

  /**
   * Sends the request, which has no key of an item, over a connection of its own that is closed
   * behind it: its reply may hold what clients have written. The client has no other request.
   *
   * @return null, or the answer for the client if nothing was sent; the caller owns the result
   */
  public ByteBuf sendAlone(
      ClientSession client,
      Command command,
      Dialect dialect,
      ReplyWriter replies,
      Target target,
      Server server,
      int hides) {
    Bridged bridged = worker.exchanges().takeBridged();
    RequestWriter writer = target.writer(server, dialect);
    ByteBuf head = sender.head(bridged, writer, replies, target, 0);
    if (head == null) {
      return sender.refused(bridged);
    }
    Exchange exchange = client.newExchange(command, Grammar.BRIDGED, hides);
    exchange.binary(request.opcode, request.opaque);
    exchange.bridge(bridged);
    client.sendAlone(server, exchange, head, 0, true, ClientSession.LineEnd.KEPT);
    return null;
  }

  /**
   * Begins to send a request whose value has yet to come, over a connection of its own. The ring is
   * empty.
   *
   * @param lined whether the client ends its value with a line end
   * @return null, or the answer for the client if nothing was sent; the caller owns the result
   */
  public ByteBuf stream(
      ClientSession client,
      Command command,
      Dialect dialect,
      ReplyWriter replies,
      Target target,
      int hides,
      boolean lined) {
    Server server = serverOf(target, dialect);
    Bridged bridged = worker.exchanges().takeBridged();
    RequestWriter writer = target.writer(server, dialect);
    streamed = (streamed + 1) & 0x7FFFFFFF;
    ByteBuf head = sender.head(bridged, writer, replies, target, streamed);
    if (head == null) {
      return sender.refused(bridged);
    }
    Exchange exchange = client.newExchange(command, Grammar.BRIDGED, hides);
    exchange.binary(request.opcode, request.opaque);
    exchange.bridge(bridged);
    int body = request.valueLength + (lined ? 2 : 0);
    ClientSession.LineEnd ending = ClientSession.LineEnd.of(lined, writer.endsValueWithLine());
    client.sendAlone(server, exchange, head, body, false, ending);
    return null;
  }

  /**
   * Deletes what the request, which is prepared, would have replaced, because its value is too
   * large, and answers nothing.
   *
   * @return false if the request has to be tried again
   */
  public boolean delete(ClientSession client, Dialect dialect, Target target) {
    boolean base64 = request.isBase64;
    ByteBuf key = request.key;
    int from = request.keyFrom;
    int to = request.keyTo;
    request
        .clear(Operation.DELETE)
        .key(key, from, to); // before connecting: other pools may have it
    request.isBase64 = base64;
    if (!connect(client, target, dialect)) {
      return client.failure() != null;
    }
    ByteBuf refused = send(client, Command.DELETE, dialect, target, Exchange.HIDE_ALL);
    if (refused != null) {
      refused.release(); // then there is nothing of that name to be deleted
    }
    return true;
  }

  public void close() {
    renamed.release();
  }
}
