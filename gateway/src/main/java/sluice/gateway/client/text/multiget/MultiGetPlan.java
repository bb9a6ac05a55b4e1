package sluice.gateway.client.text.multiget;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.RequestLine;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.RequestPool;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Plan of a read of many keys: its subrequests, one for each server, and the connections found for
 * them. It takes as many keys as are requested at once.
 */
public final class MultiGetPlan {
  /** The most keys of one instance: those of a line that is parsed at once. */
  private static final int MOST_KEYS = TextLine.MOST_TOKENS - 2;

  /**
   * The most requests for one key each: a pending reply with its bridge takes some 900 bytes of
   * heap.
   */
  private static final int MOST_APART = 256;

  private static final int MOST_APART_WHEN_TIGHT = 32;

  /** The most bytes of values from a near cache or store that are held before requests are sent. */
  private static final int MOST_FOUND = 256 * 1024;

  /** The bytes that a dropped reply counts for: its length is not known yet. */
  private static final int COST_OF_DROPPED = 32 * 1024;

  private static final int LONGEST_KEY = 252; // with the bytes before it, and behind the last

  private final Loop loop;
  private final Dispatcher dispatcher;
  private final MultiGetKeys keys;
  private MultiGetSubrequest[] subrequests = new MultiGetSubrequest[8];
  private int made; // subrequests ever made
  private int count; // subrequests in use
  private int apart; // subrequests for one key each
  private int foundBytes;
  private int mostApart;
  private int lineRoom; // bytes left for keys, in a line with all of them

  MultiGetPlan(Loop loop, Dispatcher dispatcher, MultiGetKeys keys) {
    this.loop = loop;
    this.dispatcher = dispatcher;
    this.keys = keys;
  }

  /** Ends its use. */
  void drop() {
    loop.memory().addObjects(-(long) MultiGetSubrequest.BYTES * made);
  }

  // --- keys -------------------------------------------------------------------------------------

  /** Begins with a read, whose keys follow: all but get and gets must fit into a short line. */
  public MultiGetPlan begin(TextRequest request) {
    mostApart = loop.memory().isTight() ? MOST_APART_WHEN_TIGHT : MOST_APART;
    TextLine line = request.line;
    int verb = line.end(request.firstKey() - 1) - line.start(0);
    lineRoom = request.isTouchingRead() ? RequestLine.MAX_SENT - verb : Integer.MAX_VALUE;
    return this;
  }

  /** Whether no more keys may be added. */
  public boolean isFull() {
    if (keys.count() > 0 && lineRoom < LONGEST_KEY) {
      return true;
    }
    return keys.count() >= MOST_KEYS || apart >= mostApart || hasFoundMuch();
  }

  /** Whether enough bytes were found, so that no more keys are looked up. */
  boolean hasFoundMuch() {
    return foundBytes >= MOST_FOUND;
  }

  /** Adds the length of values found without a server. */
  void found(int bytes) {
    foundBytes += bytes;
  }

  /** Adds the length of the next server key. */
  public void takes(int length) {
    lineRoom -= length + 1;
  }

  /**
   * Adds the next key, for server; null: for pool's store.
   *
   * @param alone whether it has a request of its own
   */
  public void add(Pool pool, @Nullable Server server, @Nullable KeyRewrite rewrite, boolean alone) {
    int subrequest = alone ? count : 0;
    while (subrequest < count && !subrequests[subrequest].takes(server, pool, rewrite)) {
      subrequest++;
    }
    if (subrequest < count) {
      keys.add(subrequest, false);
      return;
    }
    MultiGetSubrequest fresh = add(pool, alone);
    fresh.server = server;
    fresh.rewrite = rewrite;
  }

  /** Adds the next key with a request of its own: context's, which it owns. */
  public void add(Backend backend, RequestContext context) {
    MultiGetSubrequest fresh = add(backend.pool(), true);
    fresh.backend = backend;
    fresh.context = context;
  }

  /** Adds the next key, whose reply is known. Consumes reply. */
  public void add(Pool pool, ByteBuf reply) {
    add(pool, true).found = reply;
    foundBytes += reply.readableBytes();
  }

  private MultiGetSubrequest add(Pool pool, boolean alone) {
    apart += alone ? 1 : 0;
    if (count == subrequests.length) {
      subrequests = Arrays.copyOf(subrequests, count * 2);
    }
    if (count == made) {
      subrequests[made++] = new MultiGetSubrequest();
      loop.memory().addObjects(MultiGetSubrequest.BYTES);
    }
    keys.add(count, true);
    MultiGetSubrequest fresh = subrequests[count++];
    fresh.pool = pool;
    return fresh;
  }

  /** Leaves out the keys from a number on, and the subrequests without keys. */
  void leaveOut(int from) {
    keys.leaveOut(from);
    while (keys.isBehind(count - 1, from)) { // subrequests are in the order of their first keys
      subrequests[--count].clear(dispatcher);
    }
  }

  // --- connections ------------------------------------------------------------------------------

  /** The server that has all keys, none of them rewritten; null if there is none. */
  public @Nullable Server serverOfAll() {
    return count == 1 && subrequests[0].rewrite == null ? subrequests[0].server : null;
  }

  /** Number of subrequests. */
  public int subrequests() {
    return count;
  }

  MultiGetSubrequest subrequest(int subrequest) {
    return subrequests[subrequest];
  }

  /**
   * The server that a subrequest must still be {@linkplain #connect connected} to; null for a
   * store, a backend, or a reply that is known.
   */
  public @Nullable Server server(int subrequest) {
    return subrequests[subrequest].server;
  }

  /** The connection that the backend of a subrequest has found; null if it has none, or several. */
  public @Nullable ServerConnection connection(int subrequest) {
    RequestContext context = subrequests[subrequest].context;
    return context == null ? null : context.members().connection;
  }

  /** Number of keys. */
  public int keys() {
    return keys.count();
  }

  /** The subrequest of a key. */
  public int subrequestOf(int key) {
    return keys.subrequestOf(key);
  }

  /**
   * The connection that a key's subrequest was {@linkplain #connect connected} to; null if there is
   * none, or if it is in canonical form.
   */
  public @Nullable ServerConnection connectionOf(int key) {
    return subrequests[keys.subrequestOf(key)].connection;
  }

  /** Whether the server of a subrequest gets a packet, and no line. */
  public boolean isPacket(int subrequest) {
    return subrequests[subrequest].context != null && subrequests[subrequest].pool.takesPackets();
  }

  /** Sets the connection for a subrequest, or the reason why there is none. */
  public void connect(
      int subrequest, @Nullable ServerConnection connection, @Nullable String failure) {
    subrequests[subrequest].connection = connection;
    subrequests[subrequest].failure = failure;
  }

  /** Why a subrequest cannot be sent, if that fails the whole read; null if all can be sent. */
  @Nullable String failure() {
    for (int subrequest = 0; subrequest < count; subrequest++) {
      String failure = subrequests[subrequest].failureOfAll();
      if (failure != null) {
        return failure;
      }
    }
    return null;
  }

  /** Fails a subrequest for a reason, without sending it. */
  public void fail(int subrequest, String failure) {
    subrequests[subrequest].fail(failure, dispatcher);
  }

  /** Number that changes with every progress of the subrequests. */
  long progress() {
    long progress = 0;
    for (int subrequest = 0; subrequest < count; subrequest++) {
      PendingReply pending = subrequests[subrequest].pending;
      progress += pending == null ? 0 : pending.progress();
    }
    return progress;
  }

  // --- the end ----------------------------------------------------------------------------------

  /**
   * The read has failed. Subrequests that servers have not answered count as in flight, although
   * their replies will be dropped. Otherwise a client whose reads fail at once could have any
   * number of them in flight.
   *
   * @param whole its reply, which counts as one of some length for each of them
   */
  void owe(ConnectedClient client, PendingReply whole) {
    for (int subrequest = 0; subrequest < count; subrequest++) {
      PendingReply pending = subrequests[subrequest].pending;
      if (pending == null || pending.isComplete()) {
        continue;
      }
      if (pending.isWithServer()) {
        client.drops(pending);
        whole.costs(COST_OF_DROPPED);
      } else if (pending.subrequests() != null) { // copies and hedges count when cancelled
        whole.costs(COST_OF_DROPPED);
      }
    }
  }

  /** Drops the replies to all subrequests. */
  void dropReplies(RequestPool requestPool) {
    for (int subrequest = 0; subrequest < count; subrequest++) {
      PendingReply pending = subrequests[subrequest].pending;
      if (pending == null) {
        continue;
      }
      if (pending.subrequests() != null) {
        pending.subrequests().cancel();
      }
      requestPool.give(pending);
    }
  }

  /** Forgets all subrequests and keys. */
  void clear() {
    for (int subrequest = 0; subrequest < count; subrequest++) {
      subrequests[subrequest].clear(dispatcher);
    }
    count = 0;
    apart = 0;
    foundBytes = 0;
    keys.clear();
  }
}
