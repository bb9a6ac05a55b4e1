package sluice.gateway.dispatch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.gateway.exchange.Bridged;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerConnection;
import sluice.gateway.session.Worker;
import sluice.gateway.values.Value;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Sends one request in its neutral form to several pools at once: first the connections are looked
 * for, then all copies are sent together. One an event loop.
 */
public final class Spreading {
  private static final int MOST = 16;

  private final Worker worker;
  private final RequestSender sender;
  private final OneConnection alone;
  private final Request asked = new Request();
  private final Value value = new Value();
  private final ServerConnection[] connections = new ServerConnection[MOST];
  private final String[] failures = new String[MOST];
  private Exchange nested; // which the request is sent for, one of a read of many keys; or null

  /** What sends the request to one pool alone. */
  interface OneConnection {
    /**
     * Sends the request over connection, as a new exchange of client.
     *
     * @return null, or the answer for the client if nothing was sent; the caller owns the result
     */
    ByteBuf send(
        ClientSession client,
        Command command,
        Dialect dialect,
        ReplyWriter replies,
        Target target,
        ServerConnection connection,
        int hides);
  }

  /**
   * What was found for a request: a connection to each member that is asked, or why there is none.
   */
  public record Members(ServerConnection[] connections, String[] failures) {}

  Spreading(Worker worker, RequestSender sender, OneConnection alone) {
    this.worker = worker;
    this.sender = sender;
    this.alone = alone;
  }

  /** The first server that {@link #connect} would have the client wait for; null if none. */
  Server awaited(ClientSession client, Spread spread, Dialect dialect, Request request) {
    Target[] members = spread.members();
    int only = only(spread, dialect, request);
    for (int i = 0; i < members.length; i++) {
      if ((only >= 0 && only != i) || (spread.isShadow() && i > 0)) {
        continue;
      }
      Server server = server(members[i], dialect, request);
      if (client.readyConnectionTo(server) == null && server.unavailable() == null) {
        return server;
      }
    }
    return null;
  }

  /**
   * Finds the connections for the request.
   *
   * @return false if the client waits for one; then nothing has happened
   */
  boolean connect(ClientSession client, Spread spread, Dialect dialect, Request request) {
    Target[] members = spread.members();
    int only = only(spread, dialect, request);
    String tooLate = client.takeTooLate();
    for (int i = 0; i < members.length; i++) {
      connections[i] = null;
      failures[i] = null;
      if (only >= 0 && only != i) {
        continue;
      }
      Server server = server(members[i], dialect, request);
      if (spread.isShadow() && i > 0) {
        connections[i] = client.readyConnectionTo(server);
      } else if (client.readyConnectionTo(server) == null && tooLate != null) {
        failures[i] = tooLate; // no member is waited for any more
      } else {
        connections[i] = client.connectionTo(server);
        failures[i] = client.failure();
        if (connections[i] == null && failures[i] == null) {
          return false;
        }
      }
    }
    return true;
  }

  /** The one member that is asked, or -1 if all are. */
  private static int only(Spread spread, Dialect dialect, Request request) {
    if (spread.warms()) {
      return request.operation == Operation.DELETE ? -1 : 0;
    }
    return asksOne(spread, request) ? nearest(spread, dialect, request) : -1;
  }

  private static boolean asksOne(Spread spread, Request request) {
    return spread.nearest() && request.changesNothing();
  }

  private static Server server(Target member, Dialect dialect, Request request) {
    return member.server(member.serverOf(request.key, request.keyFrom, request.keyTo), dialect);
  }

  /** The member whose server takes requests and has answered fastest of late. */
  private static int nearest(Spread spread, Dialect dialect, Request request) {
    int best = 0;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < spread.members().length; i++) {
      Server server = server(spread.members()[i], dialect, request);
      if (!server.isDown() && server.recentNanos() < least) {
        least = server.recentNanos();
        best = i;
      }
    }
    return best;
  }

  /**
   * Sends the request over the connections that were found, as a new exchange of client.
   *
   * @param taken the request's value, whose pieces are consumed
   * @return null, or the answer for the client if nothing was sent; the caller owns the result
   */
  ByteBuf send(
      ClientSession client,
      Command command,
      Dialect dialect,
      ReplyWriter replies,
      Spread spread,
      Value taken,
      int hides) {
    Request request = sender.request();
    if (spread.warms() && request.operation != Operation.DELETE) {
      return toCold(client, command, dialect, replies, spread, taken, hides);
    }
    if ((request.comparesCas || request.knowsValue) && !spread.isShadow()) {
      taken.clear();
      return sender.refuse(replies, "a cas, which is another in each pool");
    }
    asked.set(request);
    for (int i = 0; i < taken.count(); i++) {
      value.add(taken.take(i));
    }
    taken.clear();
    Copies copies = null;
    for (int i = 0; i < spread.members().length; i++) {
      if (i > 0) {
        sender.staysHere(); // a shadow's replies are not kept
      }
      if (connections[i] == null && failures[i] == null) {
        continue; // not asked
      }
      if (connections[i] == null) {
        copies = copies == null ? begin(client, command, dialect, spread, hides) : copies;
        copies.failed(i, failures[i]);
        continue;
      }
      request.set(asked);
      for (int j = 0; j < value.count(); j++) {
        taken.add(value.piece(j).retainedSlice());
      }
      Target member = spread.members()[i];
      if (member.work() != null) {
        member.work().prepare(request);
      }
      Bridged bridged = worker.exchanges().takeBridged();
      RequestWriter writer = member.writer(connections[i], dialect);
      ByteBuf head = sender.head(bridged, writer, replies, member, connections[i].nextOpaque());
      if (head == null && copies == null) {
        value.clear();
        return sender.refused(bridged);
      }
      if (nested != null) {
        bridged.awaited().asPart();
      }
      copies = copies == null ? begin(client, command, dialect, spread, hides) : copies;
      if (head == null) {
        taken.clear();
        worker.exchanges().give(bridged);
        copies.failed(i, "it cannot be said to pool " + member.name());
      } else {
        Exchange part = copies.part(i);
        part.bridge(bridged);
        connections[i].expect(part);
        sender.mayRepeat(connections[i], part, head);
        client.flushRun();
        sender.write(connections[i], head, writer.endsValueWithLine());
      }
    }
    value.clear();
    copies.sent();
    return null;
  }

  private ByteBuf toCold(
      ClientSession client,
      Command command,
      Dialect dialect,
      ReplyWriter replies,
      Spread spread,
      Value taken,
      int hides) {
    Request request = sender.request();
    Target cold = spread.members()[0];
    ServerConnection connection = connections[0];
    if (connection == null) {
      taken.clear(); // else the next request would send it, too
      Exchange failed = client.newExchange(command, Grammar.BRIDGED, hides);
      failed.binary(request.opcode, request.opaque);
      client.fail(failed, failures[0]);
      return null;
    }
    if (!Warming.fills(request)) {
      if (cold.work() != null) {
        cold.work().prepare(request);
      }
      return alone.send(client, command, dialect, replies, cold, connection, hides);
    }
    asked.set(request);
    if (cold.work() != null) {
      cold.work().prepare(request);
    }
    Bridged bridged = worker.exchanges().takeBridged();
    RequestWriter writer = cold.writer(connection, dialect);
    ByteBuf head = sender.head(bridged, writer, replies, cold, connection.nextOpaque());
    if (head == null) {
      return sender.refused(bridged);
    }
    Exchange whole = client.newExchange(command, Grammar.BRIDGED, hides);
    whole.binary(asked.opcode, asked.opaque);
    new Warming(worker, sender, client, whole, spread, dialect, asked)
        .begin(connection, bridged, head);
    return null;
  }

  /** What {@link #connect} has found, for later. */
  Members found(Spread spread) {
    int count = spread.members().length;
    return new Members(Arrays.copyOf(connections, count), Arrays.copyOf(failures, count));
  }

  /**
   * Sends the request, which reads one of many keys, to all members of replicas in an exchange that
   * its gathering has started.
   *
   * @return null, or why it cannot be sent: an error line, without line end
   */
  String sendPart(ClientSession client, Exchange part, Spread spread, Members members) {
    System.arraycopy(members.connections(), 0, connections, 0, members.connections().length);
    System.arraycopy(members.failures(), 0, failures, 0, members.failures().length);
    nested = part;
    ByteBuf refused =
        send(
            client,
            part.command(),
            Dialect.TEXT,
            RequestSender.replies(Dialect.TEXT),
            spread,
            sender.value(),
            Exchange.HIDE_NOTHING);
    nested = null;
    if (refused == null) {
      return null;
    }
    String line = refused.toString(ISO_8859_1).stripTrailing();
    refused.release();
    return line;
  }

  /**
   * Sends a read, which one member was asked alone, to those before it.
   *
   * @param before the member
   * @param again the read; borrowed
   * @return null, or a server that has to be waited for; then nothing was sent
   */
  Server sendAgain(ClientSession client, Spread spread, int before, Request again, Copies copies) {
    sender.staysHere();
    Target[] members = spread.members();
    for (int i = 0; i < before; i++) {
      Server server = server(members[i], Dialect.META, again);
      connections[i] = client.readyConnectionTo(server);
      failures[i] = server.unavailable();
      if (connections[i] == null && failures[i] == null) {
        return server;
      }
    }
    Request request = sender.request();
    for (int i = 0; i < before; i++) {
      if (connections[i] == null) {
        copies.failed(i, failures[i]);
        continue;
      }
      request.set(again);
      if (members[i].work() != null) {
        members[i].work().prepare(request);
      }
      Bridged bridged = worker.exchanges().takeBridged();
      RequestWriter writer = members[i].writer(connections[i], Dialect.META);
      ReplyWriter replies = RequestSender.replies(Dialect.META);
      int opaque = connections[i].nextOpaque();
      ByteBuf head = sender.head(bridged, writer, replies, members[i], opaque);
      if (head == null) {
        worker.exchanges().give(bridged);
        copies.failed(i, "it cannot be said to pool " + members[i].name());
        continue;
      }
      Exchange part = copies.part(i);
      part.restart(worker.loop().now());
      part.bridge(bridged);
      connections[i].expect(part);
      connections[i].write(head);
    }
    copies.sent();
    return null;
  }

  private Copies begin(
      ClientSession client, Command command, Dialect dialect, Spread spread, int hides) {
    Exchange whole = nested != null ? nested : client.newExchange(command, Grammar.BRIDGED, hides);
    whole.binary(asked.opcode, asked.opaque);
    boolean askedAgain = dialect == Dialect.META && asksOne(spread, asked);
    return new Copies(
        worker,
        this,
        client,
        whole,
        spread,
        asked,
        askedAgain ? asked.copy() : null,
        dialect == Dialect.BINARY);
  }
}
