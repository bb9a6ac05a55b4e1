package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import sluice.codecs.memcached.Command;
import sluice.config.Dialect;
import sluice.gateway.embedded.EmbeddedSession;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerConnection;

/**
 * Everyone whom a command without a key concerns: all servers and stores of the route's pools. Such
 * commands are rare: this allocates what it needs.
 *
 * @param servers each pool's servers, on the command's side
 * @param stores the pools that are stores of this process
 */
record Everyone(List<Server> servers, List<Target> stores) {
  /** A request to everyone, in its dialect. */
  interface Request {
    /** The client's exchange, at the end of its ring. */
    Exchange whole();

    /** Expects part on connection and writes the request. */
    void send(Exchange part, ServerConnection connection);

    /** Executes the request. Appends to reply, which is borrowed. */
    void execute(EmbeddedSession store, ByteBuf reply);

    /** The bytes of the request are not needed any more. */
    void sent();
  }

  static Everyone of(Listening listening, Command command, Dialect dialect) {
    List<Target> stores = new ArrayList<>(1);
    List<Server> servers = new ArrayList<>(4);
    for (int pool : listening.route().keylessPools(command, dialect)) {
      Target target = listening.target(pool);
      if (target.embedded() != null) {
        stores.add(target);
      }
      for (int i = 0; i < target.size(); i++) {
        servers.add(dialect == Dialect.BINARY ? target.binary(i) : target.text(i));
      }
    }
    return new Everyone(servers, stores);
  }

  boolean isNobody() {
    return servers.isEmpty() && stores.isEmpty();
  }

  boolean isOneServer() {
    return servers.size() == 1 && stores.isEmpty();
  }

  boolean isOneStore() {
    return servers.isEmpty() && stores.size() == 1;
  }

  /** Asks everyone, unless the client has to wait for a server: then nothing has happened. */
  void ask(Worker worker, ClientConnection client, FanOut.Aggregate aggregate, Request request) {
    List<ServerConnection> connections = new ArrayList<>();
    String failure = null;
    for (Server server : servers) {
      ServerConnection connection = client.connectionTo(server);
      if (connection == null && client.failure == null) {
        return;
      }
      failure = connection == null && failure == null ? client.failure : failure;
      connections.add(connection);
    }
    Exchange whole = request.whole();
    client.flushRun();
    FanOut fanOut = new FanOut(worker, client, whole, aggregate);
    if (failure != null) {
      fanOut.failed(failure);
    }
    for (ServerConnection connection : connections) {
      if (connection != null) {
        request.send(fanOut.part(), connection);
      }
    }
    for (Target store : stores) {
      Exchange part = fanOut.part();
      ByteBuf reply = worker.loop().buffer(256);
      request.execute(store.embedded(), reply);
      part.hold(reply);
      part.complete();
      fanOut.partCompleted(part, null);
    }
    request.sent();
    fanOut.sent();
  }
}
