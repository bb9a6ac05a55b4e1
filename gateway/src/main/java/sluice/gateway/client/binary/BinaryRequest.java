package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ignite.IgniteRequest;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.bridge.Exptime;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestPhase;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.NearCache;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.route.Rule;
import sluice.gateway.time.Clocks;
import sluice.names.Command;

/**
 * Binary-protocol request while it is being handled: whose it is, the fields of its head, its rule,
 * its rewritten key, and its {@linkplain RequestPhase phase}. Its client owns it until it is handed
 * over, so that a request that waited continues at its phase. Pooled by {@link BinaryRequestPool};
 * belongs to one event loop. Borrows the buffer of its head.
 *
 * <p>Handlers have no fields for clients, because all clients of an event loop share them. A call
 * of {@link Owner#packetDone} or {@link Owner#gatheredDone} releases the request, which may then
 * become another client's. What is needed afterwards must be read before.
 */
final class BinaryRequest {
  /** Owner of a request: its client, and the operations that end or delay the request. */
  interface Owner {
    ConnectedClient client();

    /** The listener as this client sees it. */
    ListenerView listenerView();

    /** The state of the client's login; null if it need not log in. */
    @Nullable LoginState login();

    /**
     * Releases a request that, with value bytes behind its head, is handed over or will be
     * answered. It must not be used any more.
     */
    void packetDone(BinaryRequest done, int value);

    /** As {@link #packetDone}, for a gathered request; the rest of its value is dropped. */
    void gatheredDone(BinaryRequest done);

    /** Gathers the request's value of that length before the request is handled again. */
    void gather(BinaryRequest of, int value);

    /** Discards bytes, and then answers. Consumes reply; null for silence. */
    void discard(long bytes, Command command, Outcome outcome, @Nullable ByteBuf reply);
  }

  /** Approximate bytes of heap that one takes. */
  static final int BYTES = 400;

  private static final int ROOM = 512;

  final BinaryPacket packet = new BinaryPacket();

  /** View of the same packet as an Ignite request, if it was read as one. */
  final IgniteRequest ignite = new IgniteRequest();

  private final Loop loop;

  @SuppressWarnings("NullAway.Init") // read sets it; in the pool there is none
  private Owner owner;

  private RequestPhase phase = RequestPhase.SENT;
  private Command command = Command.UNKNOWN;
  private int headEnd;
  private boolean isIgnites;
  private @Nullable Rule rule;
  private @Nullable KeyRewrite rewrite;
  private @Nullable RequestContext canonical; // null unless its backend takes the canonical form
  private @Nullable Backend canonicalFor;
  private @Nullable ByteBuf scratch; // null before the first use

  BinaryRequest(Loop loop) {
    this.loop = loop;
  }

  // --- its head ---------------------------------------------------------------------------------

  /**
   * Reads the head [from, headEnd) of buffer, for owner. Borrows buffer, which {@link #moved}
   * replaces.
   *
   * @param answersAll whether quiet opcodes are answered like all others
   */
  BinaryRequest read(Owner owner, ByteBuf buffer, int from, int headEnd, boolean answersAll) {
    this.owner = owner;
    phase = phase.to(RequestPhase.PARSED);
    packet.wrap(buffer, from, answersAll);
    command = packet.command();
    this.headEnd = headEnd;
    isIgnites = false;
    return this;
  }

  /**
   * Reads it as a node of Ignite does.
   *
   * @throws sluice.codecs.ProtocolException if a node would close the connection
   */
  void readAsIgnite() {
    ignite.wrap(packet.buffer(), packet.at());
    isIgnites = true;
  }

  /**
   * Its bytes were moved to another buffer, {@code by} behind their former index. Borrows moved.
   */
  void moved(ByteBuf moved, int by) {
    ByteBuf old = packet.buffer();
    packet.moved(moved, by);
    headEnd += by;
    if (isIgnites) {
      ignite.wrap(moved, packet.at());
    }
    if (canonical != null) {
      canonical.request().moved(old, moved, by);
    }
  }

  /** Its owner, until it is released. */
  Owner owner() {
    return owner;
  }

  /** The client that it is answered to, until it is released. */
  ConnectedClient client() {
    return owner.client();
  }

  /** The listener as its client sees it, until it is released. */
  ListenerView listenerView() {
    return owner.listenerView();
  }

  Command command() {
    return command;
  }

  /** The buffer of the head. */
  ByteBuf buffer() {
    return packet.buffer();
  }

  /** Index where the head begins. */
  int from() {
    return packet.at();
  }

  /** Index where the head ends, and its value begins if it has one. */
  int headEnd() {
    return headEnd;
  }

  /** Length of the value in bytes. */
  int valueLength() {
    return (int) (packet.body() - packet.keyLength() - packet.extras());
  }

  /** Length of the body behind the head in bytes. */
  long rest() {
    return packet.body() - (headEnd - packet.at() - BinaryHeader.LENGTH);
  }

  /** Whether a server may get it twice: a read that does not remove what it returns. */
  boolean isRepeatable() {
    if (command != Command.GAT) {
      return command.isRead();
    }
    int exptime = buffer().getInt(packet.at() + BinaryHeader.LENGTH);
    return !Exptime.hasPassed(Exptime.ofBinary(exptime), Clocks.seconds());
  }

  /** Whether the value, if there is one, has arrived completely behind the head. */
  boolean hasValue() {
    return buffer().writerIndex() - headEnd >= valueLength();
  }

  // --- its way ----------------------------------------------------------------------------------

  RequestPhase phase() {
    return phase;
  }

  /** Whether its head is read, and nothing else was done. */
  boolean isNew() {
    return phase == RequestPhase.PARSED;
  }

  /** Sets the rule for its key; null if there is none. */
  void routed(@Nullable Rule found) {
    phase = phase.to(RequestPhase.ROUTED);
    rule = found;
    KeyRewrite by = found == null ? null : found.rewrite();
    if (by != null) {
      int key = packet.keyStart();
      rewrite = by.fits(buffer(), key, key + packet.keyLength()) ? by : null;
    }
  }

  /** The rule for its key; null if there is none. */
  @Nullable Rule rule() {
    return rule;
  }

  /** The rule's rewriting of the key; null if it stays. */
  @Nullable KeyRewrite rewrite() {
    return rewrite;
  }

  /** Whether a server can have the rewritten key. */
  boolean isUsable() {
    KeyRewrite by = rewrite;
    if (by == null) {
      return true;
    }
    int length = by.serverLength(packet.keyLength());
    return length > 0 && length <= BinaryPacket.MAX_KEY;
  }

  /** The hash of the server key. */
  int keyHash() {
    int from = packet.keyStart();
    int to = from + packet.keyLength();
    KeyRewrite by = rewrite;
    if (by == null) {
      return NearCache.hash(buffer(), from, to);
    }
    ByteBuf renamed = scratch();
    by.toServer(buffer(), from, to, renamed);
    return NearCache.hash(renamed, 0, renamed.writerIndex());
  }

  /** Sets that it may be sent. */
  void admitted() {
    phase = phase.to(RequestPhase.ADMITTED);
  }

  /** Its client is paused until the missing connection or reply is there. */
  void waits() {
    phase = phase.to(RequestPhase.WAITING);
  }

  // --- in canonical form ------------------------------------------------------------------------

  /** Sets its canonical form for a backend. Consumes context. */
  void canonical(RequestContext context, Backend backend) {
    canonical = context;
    canonicalFor = backend;
  }

  /** Its canonical form for a backend; null if it has none. Borrowed. */
  @Nullable RequestContext canonical(Backend backend) {
    return canonicalFor == backend ? canonical : null;
  }

  /** Takes its canonical form out; null if there is none. The caller releases it. */
  @Nullable RequestContext takeCanonical() {
    RequestContext taken = canonical;
    canonical = null;
    canonicalFor = null;
    return taken;
  }

  // --- memory -----------------------------------------------------------------------------------

  /** An empty buffer, until the next call of a method here that writes a key. Borrowed. */
  ByteBuf scratch() {
    scratch = scratch == null ? loop.buffer(ROOM) : scratch.clear();
    return scratch;
  }

  /** It was handed over or answered: from now on it has no owner. */
  void clear() {
    leaveOwner();
    rule = null;
    if (rewrite != null) { // storing a reference costs a write barrier of the collector
      rewrite = null;
    }
    phase = phase.to(RequestPhase.SENT);
  }

  @SuppressWarnings("NullAway") // only a request in the pool has none
  private void leaveOwner() {
    owner = null;
  }

  /** Releases what is kept for the next request. */
  void close() {
    if (scratch != null) {
      scratch.release();
      scratch = null;
    }
  }
}
