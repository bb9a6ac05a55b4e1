package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.session.LoopState;
import sluice.names.Dialect;

/**
 * Receivers of a broadcast, a command without a key: all servers and stores of the route's pools.
 * Such commands are rare: this allocates what it needs.
 *
 * @param servers each pool's servers, on the side that the gateway uses
 * @param owners the pool of each server
 * @param stores the pools that are embedded stores
 */
public record Broadcast(List<Server> servers, List<Pool> owners, List<Pool> stores) {
  /** Broadcast request, in its dialect. */
  public interface Request {
    /** The client's pending reply, at the end of its order of replies. */
    PendingReply whole();

    /**
     * Registers subrequest on connection, to a server of owner's, and writes the request.
     *
     * @return null, or the answer for the client in place of the server's, to which nothing was
     *     sent
     */
    @Nullable ByteBuf send(PendingReply subrequest, ServerConnection connection, Pool owner);

    /** Executes the request. Appends to reply, which is borrowed. */
    void execute(EmbeddedSession store, ByteBuf reply);

    /** The bytes of the request are not needed any more. */
    void sent();
  }

  /** The receivers in these pools, for requests of a dialect. */
  public static Broadcast of(List<Pool> pools, Dialect dialect) {
    List<Pool> stores = new ArrayList<>(1);
    List<Server> servers = new ArrayList<>(4);
    List<Pool> owners = new ArrayList<>(4);
    for (Pool pool : pools) {
      if (pool.embedded() != null) {
        stores.add(pool);
      }
      for (int i = 0; i < pool.size(); i++) {
        servers.add(pool.server(i, dialect));
        owners.add(pool);
      }
    }
    return new Broadcast(servers, owners, stores);
  }

  public boolean isEmpty() {
    return servers.isEmpty() && stores.isEmpty();
  }

  public boolean isOneServer() {
    return servers.size() == 1 && stores.isEmpty();
  }

  public boolean isOneStore() {
    return servers.isEmpty() && stores.size() == 1;
  }

  public boolean isForSeveral() {
    return servers.size() + stores.size() > 1;
  }

  /** The lowest version that a receiver has reported, of any kind; null if none has. */
  public @Nullable ServerVersion lowestReportedVersion() {
    ServerVersion lowest = stores.isEmpty() ? null : ServerVersion.EMBEDDED;
    for (Server server : servers) {
      ServerVersion version = server.status().version();
      if (version != null && (lowest == null || version.compareTo(lowest) < 0)) {
        lowest = version;
      }
    }
    return lowest;
  }

  /** Sends the broadcast, unless the client must wait for a server: then nothing was sent. */
  public void ask(
      LoopState loopState,
      ClientSession client,
      BroadcastReply.Aggregate aggregate,
      Request request) {
    // All missing connections are made at the same time, whichever the client waits for.
    servers.forEach(client::readyConnectionTo);
    List<@Nullable ServerConnection> connections = new ArrayList<>();
    String failure = null;
    for (Server server : servers) {
      ServerConnection connection = client.connectionTo(server);
      if (connection == null && client.failure() == null) {
        return;
      }
      failure = connection == null && failure == null ? client.failure() : failure;
      connections.add(connection);
    }
    PendingReply whole = request.whole();
    client.flushRun();
    BroadcastReply broadcastReply = new BroadcastReply(loopState, client, whole, aggregate);
    if (failure != null) {
      broadcastReply.failed(failure);
    }
    for (int i = 0; i < connections.size(); i++) {
      ServerConnection connection = connections.get(i);
      if (connection != null) {
        PendingReply subrequest = broadcastReply.subrequest(servers.get(i));
        ByteBuf answer = request.send(subrequest, connection, owners.get(i));
        if (answer != null) {
          answered(broadcastReply, subrequest, answer);
        }
      }
    }
    for (Pool store : stores) {
      PendingReply subrequest = broadcastReply.subrequest(null);
      ByteBuf reply = loopState.loop().buffer(256);
      execute(request, store, reply);
      answered(broadcastReply, subrequest, reply);
    }
    request.sent();
    broadcastReply.sent();
  }

  @SuppressWarnings("NullAway") // each of the stores is embedded
  private static void execute(Request request, Pool store, ByteBuf reply) {
    request.execute(store.embedded(), reply);
  }

  private static void answered(
      BroadcastReply broadcastReply, PendingReply subrequest, ByteBuf reply) {
    subrequest.hold(reply);
    subrequest.complete();
    broadcastReply.subrequestCompleted(subrequest, null);
  }
}
