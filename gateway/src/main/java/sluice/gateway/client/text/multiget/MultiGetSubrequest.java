package sluice.gateway.client.text.multiget;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.TextLine;
import sluice.codecs.memcached.text.TextReply;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.store.StoreReply;
import sluice.gateway.client.text.request.RequestLine;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/**
 * Subrequest of a read of many keys: for the keys of one server, of one embedded store, or for one
 * key in canonical form. Used again and again; its read clears it.
 */
final class MultiGetSubrequest {
  /** Bytes of heap that an instance takes. */
  static final int BYTES = 64;

  @Nullable Server server; // null for a store or a backend

  @SuppressWarnings("NullAway.Init") // its plan sets it; an unused subrequest has none
  Pool pool;

  @Nullable KeyRewrite rewrite;
  @Nullable Backend backend; // for a subrequest of one key, in canonical form
  @Nullable RequestContext context; // the same
  @Nullable ServerConnection connection;
  @Nullable ByteBuf found; // from a near cache: the reply to a subrequest of one key
  @Nullable String failure;
  @Nullable PendingReply pending; // null before it begins
  @Nullable ByteBuf line; // the line that requests its keys

  /** Whether keys of a server, or of a pool's store, may be added to it. */
  boolean takes(@Nullable Server of, Pool in, @Nullable KeyRewrite by) {
    return server == of && pool == in && rewrite == by && backend == null && found == null;
  }

  /** The embedded store that it belongs to; null for any other subrequest. */
  @Nullable EmbeddedSession store() {
    return server == null && backend == null && found == null ? pool.embedded() : null;
  }

  /** Whether it needs no server: a store or a near cache has answered. */
  boolean isAnswered() {
    return server == null && backend == null;
  }

  /** Why it cannot be sent, if that fails the whole read; null if it can, or is answered. */
  @Nullable String failureOfAll() {
    if (isAnswered() || pool.missOnFailure()) {
      return null;
    }
    return context == null ? failure : context.members().failure;
  }

  /** Its reply, once it has begun. */
  @SuppressWarnings("NullAway") // then it has one
  PendingReply pending() {
    return pending;
  }

  /** The backend of a subrequest that has a context. */
  @SuppressWarnings("NullAway") // both are set together
  Backend backend() {
    return backend;
  }

  /** Writes the line before the first key; each key brings its space. Consumes out. */
  void beginLine(TextRequest request, ByteBuf out) {
    Command command = request.command();
    if (request.isTouchingRead()) { // the line is valid for any version
      request.keyed.read(request.line, command, ServerVersion.UNKNOWN);
    }
    RequestLine.writeBeforeKey(request.keyed, command, out);
    line = out.writerIndex(out.writerIndex() - 1);
  }

  /** Takes out the line of a subrequest that has a connection. */
  @SuppressWarnings("NullAway") // it was begun with one
  ByteBuf takeLine() {
    ByteBuf taken = line;
    line = null;
    return taken;
  }

  /** Takes its context out; null if there is none. */
  @Nullable RequestContext takeContext() {
    RequestContext taken = context;
    context = null;
    return taken;
  }

  /**
   * Reads one of the request's keys from the embedded store, and holds its value.
   *
   * @return length of the value with its line; or {@link MultiGetKeys}' MISSED, or UNKNOWN if the
   *     store has refused
   */
  int readStore(EmbeddedSession store, TextRequest request, int key, Loop loop) {
    TextLine line = request.line;
    int from = line.start(request.firstKey() + key);
    int to = line.end(request.firstKey() + key);
    int verb = line.start(0);
    ByteBuf asked = loop.buffer(600);
    ByteBuf reply = loop.buffer(256);
    asked.writeBytes(line.buffer(), verb, line.end(request.firstKey() - 1) - verb);
    int keyAt = asked.writeByte(' ').writerIndex();
    if (rewrite == null) {
      asked.writeBytes(line.buffer(), from, to - from);
    } else {
      rewrite.toServer(line.buffer(), from, to, asked);
    }
    int keyLength = asked.writerIndex() - keyAt;
    asked.writeShort('\r' << 8 | '\n');
    store.text(asked, 0, asked.writerIndex(), reply);
    int bytes = MultiGetKeys.MISSED;
    if (reply.readableBytes() > 5 && reply.getByte(0) == 'V') {
      reply.writerIndex(reply.writerIndex() - 5); // END
      PendingReply holder = pending();
      int before = holder.heldBytes();
      if (rewrite != null) {
        asked.setIndex(keyAt, keyAt + keyLength);
        ByteBuf head =
            StoreReply.withKey(loop, request.command(), reply, line.buffer(), from, to, asked);
        if (head != null) {
          holder.hold(head);
        }
      }
      holder.hold(reply);
      bytes = holder.heldBytes() - before;
    } else {
      if (TextReply.isError(reply, 0, reply.writerIndex())) {
        failure = reply.toString(US_ASCII).stripTrailing(); // as a server would have written
        bytes = MultiGetKeys.UNKNOWN;
      }
      reply.release();
    }
    asked.release();
    return bytes;
  }

  /** Fails it for a reason, without sending it. */
  void fail(String reason, Dispatcher dispatcher) {
    giveContext(dispatcher);
    connection = null;
    failure = reason;
  }

  private void giveContext(Dispatcher dispatcher) {
    RequestContext taken = takeContext();
    if (taken != null) {
      dispatcher.give(taken);
    }
  }

  /** Ends its use for this read. */
  void clear(Dispatcher dispatcher) {
    giveContext(dispatcher);
    if (found != null) {
      found.release();
      found = null;
    }
    server = null;
    leavePool();
    rewrite = null;
    backend = null;
    connection = null;
    failure = null;
    pending = null;
  }

  @SuppressWarnings("NullAway") // only an unused subrequest has none
  private void leavePool() {
    pool = null;
  }
}
