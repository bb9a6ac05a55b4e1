package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.BinaryRequestWriter;
import sluice.codecs.memcached.bridge.MetaRequestWriter;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.TextRequestWriter;
import sluice.config.model.PoolDialect;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.route.hash.Ring;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.health.PoolHealth;
import sluice.gateway.values.ValueWork;
import sluice.names.Command;
import sluice.names.Dialect;

/** A pool, as one event loop sees it: servers on a ring, or the store inside this process. */
public final class Pool {
  /** Of more servers, to look at one is cheaper than to look at all. */
  private static final int MOST_LOOKED_AT = 8;

  private final String name;
  private final EmbeddedSession embedded;
  private final Ring ring;
  private final Server[] text;
  private final Server[] binary;
  private final boolean missOnFailure;
  private final PoolDialect dialect;
  private final ValueWork work;
  private final RequestWriter ignite; // null where memcached is spoken
  private final PoolHealth health; // null: nobody is ejected

  private Pool(
      String name,
      EmbeddedSession embedded,
      Ring ring,
      List<Server> text,
      List<Server> binary,
      boolean missOnFailure,
      PoolDialect dialect,
      ValueWork work,
      RequestWriter ignite,
      PoolHealth health) {
    this.name = name;
    this.embedded = embedded;
    this.ring = ring;
    this.text = text.toArray(Server[]::new);
    this.binary = binary.toArray(Server[]::new);
    this.missOnFailure = missOnFailure;
    this.dialect = dialect;
    this.work = work;
    this.ignite = ignite;
    this.health = health;
  }

  /**
   * A pool of servers: text and binary side of each in the ring's order.
   *
   * @param ring may be null for one server
   * @param dialect what the servers are spoken to in
   * @param work what is done with values, or null
   * @param health of the servers; null if none is ever ejected
   */
  public static Pool servers(
      String name,
      Ring ring,
      List<Server> text,
      List<Server> binary,
      boolean missOnFailure,
      PoolDialect dialect,
      ValueWork work,
      PoolHealth health) {
    return new Pool(name, null, ring, text, binary, missOnFailure, dialect, work, null, health);
  }

  /**
   * A pool of Ignite nodes: all requests take the neutral form.
   *
   * @param ring may be null for one node
   * @param writer of requests to them
   * @param work what gives values their types
   * @param health of the nodes; null if none is ever ejected
   */
  public static Pool ignite(
      String name,
      Ring ring,
      List<Server> nodes,
      boolean missOnFailure,
      RequestWriter writer,
      ValueWork work,
      PoolHealth health) {
    return new Pool(
        name, null, ring, nodes, nodes, missOnFailure, PoolDialect.BINARY, work, writer, health);
  }

  /** The store of this process. */
  public static Pool embedded(String name, EmbeddedSession session) {
    return new Pool(
        name, session, null, List.of(), List.of(), false, PoolDialect.SAME, null, null, null);
  }

  public String name() {
    return name;
  }

  /** The store, or null. */
  public EmbeddedSession embedded() {
    return embedded;
  }

  /** All its servers, both sides of each; none if it is a store. */
  public List<Server> servers() {
    List<Server> all = new ArrayList<>(Arrays.asList(text));
    all.addAll(Arrays.asList(binary));
    return all;
  }

  public int size() {
    return text.length;
  }

  /** Whether a part of a multi-get that has no answer counts as missed. */
  public boolean missOnFailure() {
    return missOnFailure;
  }

  /** The index of the server for the key [from, to): not one that is ejected. Borrows key. */
  public int serverOf(ByteBuf key, int from, int to) {
    int server = placeOf(key, from, to);
    return health == null ? server : health.instead(server, key, from, to);
  }

  private int placeOf(ByteBuf key, int from, int to) {
    return text.length == 1 ? 0 : ring.serverOf(key, from, to - from);
  }

  /** Whether some server may be down for requests in the client's dialect. */
  public boolean mayBeDown(Dialect client) {
    if (text.length > MOST_LOOKED_AT) {
      return true;
    }
    for (int i = 0; i < text.length; i++) {
      if (server(i, client).isDown()) {
        return true;
      }
    }
    return false;
  }

  /** Whether the server that the ring places the key [from, to) on is down. Borrows key. */
  public boolean isDown(Dialect client, ByteBuf key, int from, int to) {
    return embedded == null && server(placeOf(key, from, to), client).isDown();
  }

  /** Whether the servers are spoken to in another dialect than the client's. */
  public boolean isForeign(Dialect client) {
    return switch (dialect) {
      case SAME -> false;
      case TEXT -> client != Dialect.TEXT;
      case META -> client != Dialect.META;
      case BINARY -> client != Dialect.BINARY;
    };
  }

  /** Whether commands without a key are the same for the client and for the servers. */
  public boolean takesKeyless(Dialect client) {
    return switch (dialect) {
      case SAME -> true;
      case TEXT, META -> client != Dialect.BINARY;
      case BINARY -> client == Dialect.BINARY && ignite == null;
    };
  }

  /** Whether all that servers are told are lines, whatever clients speak. */
  public boolean takesLines() {
    return dialect == PoolDialect.TEXT || dialect == PoolDialect.META;
  }

  /** Whether the servers know a command that has no neutral form: me, where meta is spoken. */
  public boolean takesAsItIs(Command command) {
    return command == Command.ME && !isForeign(Dialect.META);
  }

  /** What is done with values, or null. */
  public ValueWork work() {
    return work;
  }

  /** The server at an index, on the side on which requests of the client's dialect go to it. */
  public Server server(int index, Dialect client) {
    boolean toBinary =
        dialect == PoolDialect.SAME ? client == Dialect.BINARY : dialect == PoolDialect.BINARY;
    return toBinary ? binary[index] : text[index];
  }

  /**
   * What writes requests of the client's dialect to the process behind connection. One too old for
   * meta commands is spoken to in classic text.
   */
  public RequestWriter writer(ServerConnection connection, Dialect client) {
    return writer(connection.version(), client);
  }

  /** As the other, before there is a connection. */
  public RequestWriter writer(Server server, Dialect client) {
    ServerVersion version = server.status().version();
    return writer(version == null ? ServerVersion.UNKNOWN : version, client);
  }

  private RequestWriter writer(ServerVersion version, Dialect client) {
    return switch (dialect) {
      case TEXT -> TextRequestWriter.INSTANCE;
      case BINARY -> ignite != null ? ignite : BinaryRequestWriter.INSTANCE;
      case META -> metaWriter(version);
      case SAME ->
          switch (client) {
            case TEXT -> TextRequestWriter.INSTANCE;
            case META -> metaWriter(version);
            case BINARY -> BinaryRequestWriter.INSTANCE;
          };
    };
  }

  private static RequestWriter metaWriter(ServerVersion version) {
    return version.speaksMeta() ? MetaRequestWriter.INSTANCE : TextRequestWriter.INSTANCE;
  }

  /**
   * The version that decides how lines are read where no key says which server: the first server's
   * that is known.
   */
  public ServerVersion version() {
    if (embedded != null) {
      return ServerVersion.EMBEDDED;
    }
    for (Server server : text) {
      ServerVersion version = server.status().version();
      if (version != null) {
        return version;
      }
    }
    return ServerVersion.UNKNOWN;
  }
}
