package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

/** Pool on one event loop: servers on a ring, or the embedded store. */
public final class Pool {
  /** With more servers, checking one is cheaper than checking all. */
  private static final int MOST_LOOKED_AT = 8;

  private final String name;
  private final @Nullable EmbeddedSession embedded;
  private final @Nullable Ring ring; // null for one server and for a store
  private final Server[] text;
  private final Server[] binary;
  private final boolean missOnFailure;
  private final PoolDialect dialect;
  private final @Nullable ValueWork work;
  private final @Nullable RequestWriter ignite; // null where memcached is spoken
  private final @Nullable PoolHealth health; // null: servers are never ejected

  private Pool(
      String name,
      @Nullable EmbeddedSession embedded,
      @Nullable Ring ring,
      List<Server> text,
      List<Server> binary,
      boolean missOnFailure,
      PoolDialect dialect,
      @Nullable ValueWork work,
      @Nullable RequestWriter ignite,
      @Nullable PoolHealth health) {
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
   * @param ring null only for one server
   * @param dialect that the servers are spoken to in
   * @param work processing of values, or null
   * @param health of the servers; null if none is ever ejected
   */
  public static Pool servers(
      String name,
      @Nullable Ring ring,
      List<Server> text,
      List<Server> binary,
      boolean missOnFailure,
      PoolDialect dialect,
      @Nullable ValueWork work,
      @Nullable PoolHealth health) {
    return new Pool(name, null, ring, text, binary, missOnFailure, dialect, work, null, health);
  }

  /**
   * A pool of Ignite nodes: all requests take the canonical form.
   *
   * @param ring null only for one node
   * @param writer of requests to them
   * @param work conversion of flags to types
   * @param health of the nodes; null if none is ever ejected
   */
  public static Pool ignite(
      String name,
      @Nullable Ring ring,
      List<Server> nodes,
      boolean missOnFailure,
      RequestWriter writer,
      ValueWork work,
      @Nullable PoolHealth health) {
    return new Pool(
        name, null, ring, nodes, nodes, missOnFailure, PoolDialect.BINARY, work, writer, health);
  }

  /** The embedded store. */
  public static Pool embedded(String name, EmbeddedSession session) {
    return new Pool(
        name, session, null, List.of(), List.of(), false, PoolDialect.SAME, null, null, null);
  }

  public String name() {
    return name;
  }

  /** The store; null for a pool of servers. */
  public @Nullable EmbeddedSession embedded() {
    return embedded;
  }

  /** All its servers, both sides of each; empty for a store. */
  public List<Server> servers() {
    List<Server> all = new ArrayList<>(Arrays.asList(text));
    all.addAll(Arrays.asList(binary));
    return all;
  }

  /** The longest time in which a server answers, or the request fails; 0 for a store. */
  public long longestWaitNanos() {
    return text.length == 0 ? 0 : text[0].longestWaitNanos();
  }

  public int size() {
    return text.length;
  }

  /** Whether a key of a multi-get that has no answer counts as a miss. */
  public boolean missOnFailure() {
    return missOnFailure;
  }

  /** The index of the server for the key [from, to), never an ejected one. Borrows key. */
  public int serverOf(ByteBuf key, int from, int to) {
    int server = placeOf(key, from, to);
    return health == null ? server : health.instead(server, key, from, to);
  }

  /**
   * Whether the ring selects server for the key [from, to); otherwise the key has moved there,
   * because its own server is ejected. Borrows key.
   */
  public boolean isHome(int server, ByteBuf key, int from, int to) {
    return health == null || server == placeOf(key, from, to);
  }

  @SuppressWarnings("NullAway") // several servers have a ring
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

  /** Whether the server that the ring selects for the key [from, to) is down. Borrows key. */
  public boolean isDown(Dialect client, ByteBuf key, int from, int to) {
    return embedded == null && server(placeOf(key, from, to), client).isDown();
  }

  /** Whether the servers' dialect differs from the client's. */
  public boolean isForeign(Dialect client) {
    return switch (dialect) {
      case SAME -> false;
      case TEXT -> client != Dialect.TEXT;
      case META -> client != Dialect.META;
      case BINARY -> client != Dialect.BINARY;
    };
  }

  /** Whether commands without a key have the same form for the client and for the servers. */
  public boolean takesKeyless(Dialect client) {
    return switch (dialect) {
      case SAME -> true;
      case TEXT, META -> client != Dialect.BINARY;
      case BINARY -> client == Dialect.BINARY && ignite == null;
    };
  }

  /** Whether servers get lines only, for clients of any dialect. */
  public boolean takesLines() {
    return dialect == PoolDialect.TEXT || dialect == PoolDialect.META;
  }

  /** Whether servers get packets only, for clients of any dialect. */
  public boolean takesPackets() {
    return dialect == PoolDialect.BINARY;
  }

  /** Whether the servers know a command that has no canonical form: me, where meta is spoken. */
  public boolean takesAsItIs(Command command) {
    return command == Command.ME && !isForeign(Dialect.META);
  }

  /**
   * Whether replies to reads by clients of a dialect show that an item is stale, or which client is
   * to write it.
   */
  public boolean showsStates(Dialect client) {
    return dialect == PoolDialect.META || (dialect == PoolDialect.SAME && client == Dialect.META);
  }

  /** The processing of values, if any. */
  public @Nullable ValueWork work() {
    return work;
  }

  /** The server at an index, on the side to which requests of the client's dialect go. */
  public Server server(int index, Dialect client) {
    boolean toBinary =
        dialect == PoolDialect.SAME ? client == Dialect.BINARY : dialect == PoolDialect.BINARY;
    return toBinary ? binary[index] : text[index];
  }

  /**
   * The writer of requests of the client's dialect to the process behind connection. A process too
   * old for meta commands gets classic text.
   */
  public RequestWriter writer(ServerConnection connection, Dialect client) {
    return writer(connection.version(), client);
  }

  /** The same, before there is a connection. */
  public RequestWriter writer(Server server, Dialect client) {
    return writer(server.version(), client);
  }

  private RequestWriter writer(ServerVersion version, Dialect client) {
    return switch (dialect) {
      case TEXT -> textWriter(version);
      case BINARY -> ignite != null ? ignite : BinaryRequestWriter.INSTANCE;
      case META -> metaWriter(version);
      case SAME ->
          switch (client) {
            case TEXT -> textWriter(version);
            case META -> metaWriter(version);
            case BINARY -> BinaryRequestWriter.INSTANCE;
          };
    };
  }

  private static RequestWriter metaWriter(ServerVersion version) {
    return version.speaksMeta() ? MetaRequestWriter.INSTANCE : textWriter(version);
  }

  private static RequestWriter textWriter(ServerVersion version) {
    return version.isForeign() ? TextRequestWriter.FOREIGN : TextRequestWriter.INSTANCE;
  }

  /**
   * The version that decides how lines are read where no key selects a server: that of the first
   * server whose version is known.
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
