package sluice.gateway.client.text.multiget;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.text.TextLine;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.client.store.StoreReply;
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

/**
 * Subrequest of a read of many keys: for the keys of one server, of one embedded store, or for one
 * key in canonical form. Used again and again; its read clears it.
 */
final class SplitPart {
  /** Bytes of heap that an instance takes. */
  static final int BYTES = 64;

  Server server; // null for a store or a backend
  Pool pool;
  KeyRewrite rewrite;
  Backend backend; // for a part of one key, in canonical form
  RequestContext context; // the same
  ServerConnection connection;
  ByteBuf found; // from a near cache: the reply to a part of one key
  String failure;
  PendingReply pending;
  ByteBuf line; // the line that requests its keys

  /** Whether keys of a server, or of a pool's store, may be added to it. */
  boolean takes(Server of, Pool in, KeyRewrite by) {
    return server == of && pool == in && rewrite == by && backend == null && found == null;
  }

  /** Whether a part belongs to an embedded store. */
  boolean isStores() {
    return server == null && backend == null && found == null;
  }

  /** Whether it needs no server: a store or a near cache has answered. */
  boolean isAnswered() {
    return server == null && backend == null;
  }

  /** Takes its context out; null if there is none. */
  RequestContext takeContext() {
    RequestContext taken = context;
    context = null;
    return taken;
  }

  /**
   * Reads one of the request's keys from the embedded store, and holds its value.
   *
   * @return length of the value with its line; or {@link SplitKeys}' MISSED, or UNKNOWN if the
   *     store has refused
   */
  int readStore(TextRequest request, int key, Loop loop) {
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
    pool.embedded().text(asked, 0, asked.writerIndex(), reply);
    int bytes = SplitKeys.MISSED;
    if (reply.readableBytes() > 5 && reply.getByte(0) == 'V') {
      reply.writerIndex(reply.writerIndex() - 5); // END
      int before = pending.heldBytes();
      if (rewrite != null) {
        asked.setIndex(keyAt, keyAt + keyLength);
        pending.hold(
            StoreReply.withKey(loop, request.command(), reply, line.buffer(), from, to, asked));
      }
      pending.hold(reply);
      bytes = pending.heldBytes() - before;
    } else {
      if (TextReply.isError(reply, 0, reply.writerIndex())) {
        failure = reply.toString(US_ASCII).stripTrailing(); // as a server would have written
        bytes = SplitKeys.UNKNOWN;
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
    if (context != null) {
      dispatcher.give(takeContext());
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
    pool = null;
    rewrite = null;
    backend = null;
    connection = null;
    failure = null;
    pending = null;
  }
}
