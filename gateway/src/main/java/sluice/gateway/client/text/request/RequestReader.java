package sluice.gateway.client.text.request;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/**
 * Reader that found a text request, as the handlers of the request see it: whose request it is, and
 * how its bytes are consumed. Belongs to one client, and has one request at a time.
 *
 * <p>Handlers belong to the event loop. They ask the request for its reader and its client, and
 * must do so before they finish the request: after that the same object may be another client's
 * request.
 */
public interface RequestReader {
  /** The client that has sent its requests. */
  ConnectedClient client();

  /** The client's listener, as the client sees it. */
  ListenerView listenerView();

  /** Finishes the request, which is handed over or will be answered. */
  default void lineDone() {
    lineDone(0);
  }

  /** The same for a request with a data block of that length behind its line. */
  void lineDone(int block);

  /** As {@link #lineDone()}, for a gathered request; the rest of its block is dropped. */
  void gatheredDone();

  /**
   * Gathers the request's data block of that length, including its line end, before the request is
   * handled again.
   */
  void gather(int block);

  /**
   * Finishes a refused request, discards the block bytes behind its line, and then answers.
   *
   * @param reply consumed; null for silence
   */
  void discard(int block, Command command, Outcome outcome, @Nullable ByteBuf reply);

  /** Whether the request is the first of the bytes read, and nothing is in flight. */
  boolean isFirst();
}
