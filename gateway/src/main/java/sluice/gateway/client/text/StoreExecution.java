package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.embedded.EmbeddedSession;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.store.EmbeddedOutcome;
import sluice.gateway.client.store.StoreReply;
import sluice.gateway.client.text.request.RequestLine;
import sluice.gateway.client.text.request.TextKey;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.KeyRewrite;
import sluice.names.Command;

/**
 * Execution of text requests in the embedded store, which parses their lines as if the clients had
 * sent them to it.
 */
final class StoreExecution {
  private static final int REPLY = 256;

  private static final int NO_KEY = -1;

  private final Loop loop;
  private final TextRefusals refusals;

  StoreExecution(Loop loop, TextRefusals refusals) {
    this.loop = loop;
    this.refusals = refusals;
  }

  /**
   * Executes the request's line and data block unchanged. A line that ended at a NUL is written
   * anew: the store would read on, past what was looked at.
   *
   * @param block bytes of the block, which have arrived
   */
  void executeAsIs(TextRequest request, EmbeddedSession store, int block) {
    if (request.isCut()) {
      executeWritten(request, store, NO_KEY, false, block);
      return;
    }
    Command command = request.command();
    ConnectedClient client = request.client();
    ByteBuf reply = loop.buffer(REPLY);
    int end = request.next() + block;
    boolean close = store.text(request.buffer(), request.from(), end, reply);
    client.copied(store.copied());
    request.reader().lineDone(block);
    answer(client, command, EmbeddedOutcome.ofText(reply), null, reply, close);
  }

  /**
   * Executes the request with the key in a token, rewritten if its rule requires it.
   *
   * @param base64 whether the line says that the key is in base64
   * @param block bytes of the data block, which have arrived
   */
  void execute(TextRequest request, EmbeddedSession store, int token, boolean base64, int block) {
    if (request.key.rewrite() != null && request.key.isUnusable(base64)) {
      refusals.refuseLongKey(request, 0);
    } else if (isAsWritten(request, base64)) {
      executeAsIs(request, store, block);
    } else {
      executeWritten(request, store, token, base64, block);
    }
  }

  /** Whether the store reads the client's own line as it was read here, with the same key. */
  private static boolean isAsWritten(TextRequest request, boolean base64) {
    boolean readAlike = request.command() != Command.ME || !isEncoded(request, base64);
    return request.key.rewrite() == null && readAlike && !request.isCut();
  }

  /**
   * Whether the key is in base64. One that is only said to be stays as it is, for the store to
   * refuse: written anew it would be empty, and the token behind it would be the key.
   */
  private static boolean isEncoded(TextRequest request, boolean base64) {
    return base64 && request.key.isReadable();
  }

  private void executeWritten(
      TextRequest request, EmbeddedSession store, int token, boolean base64, int block) {
    ByteBuf line = written(request, token, base64, block);
    line.writeBytes(request.buffer(), request.next(), block);
    ByteBuf reply = loop.buffer(REPLY);
    boolean close = store.text(line, 0, line.writerIndex(), reply);
    request.client().copied(store.copied());
    line.release();
    Outcome outcome = EmbeddedOutcome.ofText(reply);
    ByteBuf head = token == NO_KEY ? null : withClientKey(request, reply);
    ConnectedClient client = request.client();
    Command command = request.command();
    request.reader().lineDone(block);
    answer(client, command, outcome, head, reply, close);
  }

  /** As {@link #execute}, for a request whose block has been gathered. */
  void executeGathered(TextRequest request, EmbeddedSession store, boolean base64) {
    Command command = request.command();
    ConnectedClient client = request.client();
    ByteBuf line =
        isAsWritten(request, base64)
            ? loop.slice(request.buffer(), request.from(), request.length())
            : written(request, 1, base64, 0);
    ByteBuf whole = client.slices().copyBehind(line);
    line.release();
    ByteBuf reply = loop.buffer(REPLY);
    boolean close = store.text(whole, 0, whole.writerIndex(), reply);
    client.copied(store.copied());
    whole.release();
    Outcome outcome = EmbeddedOutcome.ofText(reply);
    ByteBuf head = withClientKey(request, reply);
    request.reader().gatheredDone();
    answer(client, command, outcome, head, reply, close);
  }

  private ByteBuf written(TextRequest request, int token, boolean base64, int more) {
    ByteBuf line = loop.buffer(request.lengthWritten() + more);
    boolean encoded = isEncoded(request, base64);
    RequestLine.writeForStore(request.line, token, encoded, request.key.rewrite(), line);
    return line;
  }

  private @Nullable ByteBuf withClientKey(TextRequest request, ByteBuf reply) {
    TextKey key = request.key;
    KeyRewrite rewrite = key.rewrite();
    if (rewrite == null) {
      return null;
    }
    return StoreReply.withKey(
        loop, request.command(), reply, key.buffer(), key.from(), key.to(), key.renamed(rewrite));
  }

  private static void answer(
      ConnectedClient client,
      Command command,
      Outcome outcome,
      @Nullable ByteBuf head,
      ByteBuf reply,
      boolean close) {
    client.answer(command, outcome, head, reply);
    if (close) {
      client.end();
    }
  }
}
