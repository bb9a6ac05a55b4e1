package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.SingleFlight;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.PendingReply.Requester;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/**
 * Client from the point of view of the code that forwards its requests: its replies, its choice of
 * server connections, and its waits. Belongs to one event loop.
 */
public interface ClientSession extends Requester, Connector {
  /** Handling of the line end behind a value that is streamed. */
  enum LineEnd {
    /** It is forwarded, or there is none. */
    KEPT,
    /** It is checked and removed. */
    CUT,
    /** The client sends none, and the server needs one. */
    ADDED;

    /**
     * The handling for a client that sends a line end or not, and a server that needs one or not.
     */
    public static LineEnd of(boolean sent, boolean wanted) {
      return sent == wanted ? KEPT : sent ? CUT : ADDED;
    }
  }

  // --- replies --------------------------------------------------------------------------------

  /** A new pending reply, behind all others of this client. */
  PendingReply newReply(Command command, ReplyKind kind, Suppression suppression);

  /** Answers a request that is not sent to a server; null for silence. Consumes reply. */
  void answer(Command command, Outcome outcome, @Nullable ByteBuf reply);

  /** Completes pending reply with its buffered bytes, followed by reply, if any. Consumes reply. */
  void answer(PendingReply pending, @Nullable ByteBuf reply);

  /** Answers pending reply with the reason why it has no reply. */
  void fail(PendingReply pending, String reason);

  // --- server connections ---------------------------------------------------------------------

  /**
   * {@inheritDoc}
   *
   * <p>If the client must wait, reading is paused until it is worth trying again. A request that
   * has waited for too long waits for no other server either: it has a connection or a failure.
   */
  @Override
  @Nullable ServerConnection connectionTo(Server server);

  /**
   * The connection for a request to server that the client does not wait for, and that may overtake
   * its others; null if there is none now.
   */
  @Nullable ServerConnection readyConnectionTo(Server server);

  /**
   * Whether request could overtake an earlier change of this client if it were sent over
   * connection: the same server has not answered the change, on another connection.
   *
   * @param request whose reply, or the reply that it is a part of, is not complete
   */
  boolean overtakes(PendingReply request, ServerConnection connection);

  /**
   * Whether request could return the effect of a later change of this client if it were sent over
   * connection: the same server may have the change.
   *
   * @param request whose reply, or the reply that it is a part of, is not complete
   */
  boolean fallsBehindChange(PendingReply request, ServerConnection connection);

  /**
   * A change may last for longer than the limits of one request: near caches that come into use
   * before its end drop what it has replaced.
   */
  void lasts(PendingReply change);

  /** Sends the batch of unchanged requests; before anything else is written to a server. */
  void flushRun();

  /**
   * Sends a request over an exclusive connection, once all earlier requests are answered; the next
   * request waits for its answer.
   *
   * @param pending the client's only one
   * @param head what is sent first; consumed
   * @param body bytes of the client's input that follow it, including a line end to be removed
   * @param closes whether the connection is closed afterwards
   */
  void sendAlone(
      Server server, PendingReply pending, ByteBuf head, int body, boolean closes, LineEnd ending);

  // --- order ----------------------------------------------------------------------------------

  /**
   * Runs task now, for a request that waited for a server and was told that it may go on. The
   * server tells those who wait in their order: a later task would come when the others have filled
   * the connection again. An error in task ends the client's connection.
   */
  void run(Runnable task);

  /** Runs task in a later loop iteration. An error in it ends the client's connection. */
  void later(Runnable task);

  /**
   * Sends nothing until pending reply, which is to be repeated, and all other requests are
   * answered. Returns false if a later request that changes items was already sent: the repeated
   * one must not see its effect.
   */
  boolean waitsFor(PendingReply pending);

  /** Sends nothing until all requests are answered. */
  void waitsForAll();

  /**
   * Adds a change that was answered, although some of its servers have not answered yet: later
   * requests wait for them.
   */
  void lags(UnsettledChange change);

  /** All servers of a change have answered. */
  void lagsNoMore(UnsettledChange change);

  /** Adds a number of answered requests that still count as in flight; negative: fewer. */
  void owes(int more);

  /**
   * The reply that is next in order requires further requests. Nothing else is sent until
   * everything is answered, and nothing else prevents reading those answers.
   */
  void assembles();

  /**
   * Whether too many bytes were written that the client has not taken, however much memory is left.
   */
  boolean isBehind();

  // --- single flight --------------------------------------------------------------------------

  /**
   * Whether the current request may wait for another. It does so once, not counting requests that
   * were never sent.
   */
  boolean mayAwait();

  /**
   * The current request waits for another client's read of its key, whose part is locked.
   *
   * @param until when it is sent although the read has not ended; in {@link System#nanoTime}'s
   *     nanoseconds
   */
  void awaits(SingleFlight read, long until);

  /** Whether the current request has waited for another. */
  boolean hasAwaited();

  /** Whether the request that it has just waited for was a miss. */
  boolean takeMissed();

  // --- memory ---------------------------------------------------------------------------------

  /** Accounts for bytes of a value held for this client; negative: fewer. */
  void holdValue(long delta);

  /** Accounts for bytes of a reply that is being assembled; negative: fewer. */
  void holdAssembled(long delta);
}
