package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.Exptime;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.text.request.TextKey;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.near.Changes;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.route.Rule;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Routing of text requests: the rule for a key, its backend, and the server. All state of a request
 * is in its {@link TextRequest}.
 */
final class TextRouting {
  private static final int DELETE = 0x7F;

  private TextRouting() {}

  /** Finds the rule for the key in a token of a new request, and counts the key for it. */
  static void find(TextRequest request, int token, boolean base64) {
    request.routed(ruleFor(request, token, base64));
    count(request);
  }

  /** Counts the key of a request for the rule that was just found. */
  static void count(TextRequest request) {
    request.listenerView().matched(request.rule());
  }

  /**
   * Finds the rule for one of a request's tokens, which becomes its key. That happens again and
   * again for the keys of a read of many, which are counted apart.
   */
  static void findOne(TextRequest request, int token) {
    request.routedOne(ruleFor(request, token, false));
  }

  private static @Nullable Rule ruleFor(TextRequest request, int token, boolean base64) {
    TextKey key = request.key;
    key.read(request.line, token, base64);
    Rule rule =
        request
            .listenerView()
            .route()
            .find(
                request.command(),
                request.dialect(),
                key.buffer(),
                key.from(),
                key.to(),
                request.tokensForRules());
    key.routed(rule);
    return rule;
  }

  /** The rule of a request that was not refused. */
  @SuppressWarnings("NullAway") // a request without a rule is refused
  private static Rule ruleOf(TextRequest request) {
    return request.rule();
  }

  /**
   * The backend of a request whose rule does not reject. It may differ between calls, because
   * servers fail and return.
   */
  static Backend backend(TextRequest request) {
    TextKey key = request.key;
    Rule rule = ruleOf(request);
    ListenerView listenerView = request.listenerView();
    Changes changes = request.leavesItems() ? null : listenerView.changes(rule);
    request.client().changes(changes, changes == null ? 0 : Changes.of(key.hash()));
    // Only renamed keys are written, so that waiting requests hold no buffer for unchanged ones.
    ByteBuf renamed = rule.rewrite() == null ? Unpooled.EMPTY_BUFFER : key.scratch();
    return listenerView.backend(
        rule, request.dialect(), key.buffer(), key.from(), key.to(), renamed);
  }

  /** As {@link #backend}, for one key among others. */
  static Backend backendOfOne(TextRequest request) {
    request.listenerView().drawAgain();
    Backend backend = backend(request);
    TextKey key = request.key;
    Changes changes = changesNear(request);
    if (changes != null) {
      changes.passing(key.hash());
      request.client().changes(request.listenerView().allChanges(), Changes.SEVERAL);
    }
    ByteBuf name = key.buffer();
    int from = key.from();
    int to = key.to();
    KeyRewrite rewrite = key.rewrite();
    if (rewrite != null) { // under the client's key, it would have another server
      name = key.renamed(rewrite);
      from = 0;
      to = name.writerIndex();
    }
    return backend.forOneOfManyKeys(request.dialect(), request.isTouchingRead(), name, from, to);
  }

  /** The near caches that a change of the request's key affects; null if there are none. */
  static @Nullable Changes changesNear(TextRequest request) {
    return request.leavesItems() ? null : request.listenerView().changes(ruleOf(request));
  }

  /** The pool that answers a line with an invalid key, in a token; null if there is none. */
  static @Nullable Pool poolOf(TextRequest request, int token) {
    if (request.line.count() > token) {
      findOne(request, token);
      Rule rule = request.rule();
      if (rule != null && rule.pool() >= 0) {
        return backend(request).pool();
      }
    }
    return request.listenerView().firstTarget();
  }

  /** The server of pool that has the request's key. */
  static Server serverOf(Pool pool, TextRequest request) {
    if (pool.size() == 1) {
      return pool.server(0, Dialect.TEXT);
    }
    TextKey key = request.key;
    KeyRewrite rewrite = key.rewrite();
    if (rewrite == null) {
      return pool.server(pool.serverOf(key.buffer(), key.from(), key.to()), Dialect.TEXT);
    }
    ByteBuf renamed = key.renamed(rewrite);
    return pool.server(pool.serverOf(renamed, 0, renamed.writerIndex()), Dialect.TEXT);
  }

  /**
   * Whether the process behind connection has another version than the one whose reading of the
   * line was followed, or is not memcached and may not read its keys.
   */
  static boolean isRefusedBy(ServerConnection connection, TextRequest request) {
    return isLineRefusedBy(connection, request) || isKeyRefusedBy(connection.version(), request);
  }

  /**
   * Whether a server of that version is not memcached and may not read the request's keys, or what
   * a delete has behind one.
   */
  static boolean isKeyRefusedBy(ServerVersion version, TextRequest request) {
    return version.isForeign()
        && (hasControlCharacter(request)
            || (request.command() == Command.DELETE && isLongerDeleted(request)));
  }

  /** Whether the process behind connection refuses a delete of the request's key. */
  static boolean isDeleteRefusedBy(ServerConnection connection, TextRequest request) {
    return isRefusedBy(connection, request)
        || (connection.version().isForeign() && isLongerDeleted(request));
  }

  /** Whether a delete of the request's key has a 0 behind it: twemproxy does not know that. */
  private static boolean isLongerDeleted(TextRequest request) {
    TextKey key = request.key;
    KeyRewrite rewrite = key.rewrite();
    if (rewrite == null) {
      return KeyedLine.silences(key.buffer(), key.from(), key.to());
    }
    ByteBuf renamed = key.renamed(rewrite);
    return KeyedLine.silences(renamed, 0, renamed.writerIndex());
  }

  /**
   * Changes a storage request that a server of that version may not read: if it is not memcached,
   * it gets no negative time to live, for which twemproxy ends the connection.
   */
  static void adapt(TextRequest request, ServerVersion version) {
    if (version.isForeign()) {
      request.storage.expireAt(Exptime.EXPIRED);
    }
  }

  private static boolean isLineRefusedBy(ServerConnection connection, TextRequest request) {
    return isNulRefusedBy(connection, request)
        || (request.isMeta() && !connection.version().speaksMeta())
        || (request.isTouchingRead() && !connection.version().touchesReads());
  }

  /**
   * Whether a line of several keys is refused by the process behind connection. Each of its keys
   * {@linkplain #isKeyRefusedBy(ServerConnection, TextRequest, int) may be}, too.
   *
   * @param packet whether it gets a packet for the key, so that it need not know the command
   */
  static boolean isOneRefusedBy(ServerConnection connection, TextRequest request, boolean packet) {
    return packet ? isNulRefusedBy(connection, request) : isLineRefusedBy(connection, request);
  }

  /** Whether the process behind connection is not memcached and may not read the key in a token. */
  static boolean isKeyRefusedBy(ServerConnection connection, TextRequest request, int token) {
    return connection.version().isForeign() && hasControlCharacter(request.line, token);
  }

  private static boolean isNulRefusedBy(ServerConnection connection, TextRequest request) {
    return request.line.hasNul() && !connection.version().readsLinesAsProxy();
  }

  /**
   * Whether one of the line's keys has a control character. memcached takes it as part of the key.
   * Proxies end the connection, which other clients use.
   */
  private static boolean hasControlCharacter(TextRequest request) {
    TextLine line = request.line;
    int first = request.firstKey();
    int last = readsValues(request.command()) ? line.count() : Math.min(first + 1, line.count());
    for (int token = first; token < last; token++) {
      if (hasControlCharacter(line, token)) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasControlCharacter(TextLine line, int token) {
    for (int i = line.start(token); i < line.end(token); i++) {
      int character = line.buffer().getUnsignedByte(i);
      if (character < ' ' || character == DELETE) {
        return true;
      }
    }
    return false;
  }

  private static boolean readsValues(Command command) {
    return switch (command) {
      case GET, GETS, GAT, GATS -> true;
      default -> false;
    };
  }
}
