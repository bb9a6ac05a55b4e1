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

  private final Loop loop;
  private final TextRefusals refusals;

  StoreExecution(Loop loop, TextRefusals refusals) {
    this.loop = loop;
    this.refusals = refusals;
  }

  /**
   * Executes the request's line and data block unchanged.
   *
   * @param block bytes of the block, which have arrived
   */
  void executeAsIs(TextRequest request, EmbeddedSession store, int block) {
    Command command = request.command();
    ByteBuf reply = loop.buffer(REPLY);
    ConnectedClient client = request.client();
    int end = request.next() + block;
    boolean close = store.text(request.buffer(), request.from(), end, reply);
    request.reader().lineDone(block);
    answer(client, command, EmbeddedOutcome.ofText(reply), null, reply, close);
  }

  /**
   * Executes the request with the key in a token, rewritten if its rule requires it.
   *
   * @param base64 whether the key is in base64
   * @param block bytes of the data block, which have arrived
   */
  void execute(TextRequest request, EmbeddedSession store, int token, boolean base64, int block) {
    KeyRewrite rewrite = request.key.rewrite();
    if (rewrite == null) {
      executeAsIs(request, store, block);
      return;
    }
    if (request.key.isUnusable(base64)) {
      refusals.refuseLongKey(request, 0);
      return;
    }
    Command command = request.command();
    ConnectedClient client = request.client();
    ByteBuf renamed = renamedLine(request, token, base64, block);
    renamed.writeBytes(request.buffer(), request.next(), block);
    ByteBuf reply = loop.buffer(REPLY);
    boolean close = store.text(renamed, 0, renamed.writerIndex(), reply);
    renamed.release();
    Outcome outcome = EmbeddedOutcome.ofText(reply);
    ByteBuf head = withClientKey(request, rewrite, reply);
    request.reader().lineDone(block);
    answer(client, command, outcome, head, reply, close);
  }

  /** As {@link #execute}, for a request whose block has been gathered. */
  void executeGathered(TextRequest request, EmbeddedSession store, boolean base64) {
    Command command = request.command();
    ConnectedClient client = request.client();
    KeyRewrite rewrite = request.key.rewrite();
    ByteBuf line =
        rewrite == null
            ? loop.slice(request.buffer(), request.from(), request.length())
            : renamedLine(request, 1, base64, 0);
    ByteBuf whole = client.slices().copyBehind(line);
    line.release();
    ByteBuf reply = loop.buffer(REPLY);
    boolean close = store.text(whole, 0, whole.writerIndex(), reply);
    whole.release();
    Outcome outcome = EmbeddedOutcome.ofText(reply);
    ByteBuf head = rewrite == null ? null : withClientKey(request, rewrite, reply);
    request.reader().gatheredDone();
    answer(client, command, outcome, head, reply, close);
  }

  private ByteBuf renamedLine(TextRequest request, int token, boolean base64, int more) {
    ByteBuf renamed = loop.buffer(request.lengthWritten() + more);
    RequestLine.writeForStore(request.line, token, base64, request.key.rewrite(), renamed);
    return renamed;
  }

  private @Nullable ByteBuf withClientKey(TextRequest request, KeyRewrite rewrite, ByteBuf reply) {
    TextKey key = request.key;
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
