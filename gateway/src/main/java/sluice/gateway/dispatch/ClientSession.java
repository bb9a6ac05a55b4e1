package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Exchange.Requester;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Flight;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/**
 * A client, as seen by what sends its requests on: where its replies go, which server connections
 * its requests take, and what it waits for. Belongs to one event loop.
 */
public interface ClientSession extends Requester, Flight.Waiter, Connector {
  /** What becomes of the line end behind a value that is sent as it comes. */
  enum LineEnd {
    /** It is sent as it came, or there is none. */
    KEPT,
    /** It is looked at and left out. */
    CUT,
    /** The client sends none, and the server wants one. */
    ADDED;

    /** For a client that sends one or not, and a server that wants one or not. */
    public static LineEnd of(boolean sent, boolean wanted) {
      return sent == wanted ? KEPT : sent ? CUT : ADDED;
    }
  }

  // --- replies --------------------------------------------------------------------------------

  /** A new exchange, behind all others of this client. */
  Exchange newExchange(Command command, Grammar grammar, int hides);

  /** Answers a request that no server is asked. Consumes reply, which may be null for silence. */
  void answer(Command command, Outcome outcome, ByteBuf reply);

  /** Completes exchange with what it holds, and then with reply, which may be null; consumed. */
  void answer(Exchange exchange, ByteBuf reply);

  /** Answers exchange with why it has no reply. */
  void fail(Exchange exchange, String reason);

  // --- server connections ---------------------------------------------------------------------

  /**
   * {@inheritDoc}
   *
   * <p>Where it waits, reading is paused until it is worth trying again.
   */
  @Override
  ServerConnection connectionTo(Server server);

  /**
   * The connection for a request to server that the client does not wait for, and that may overtake
   * its others; null if there is none now.
   */
  ServerConnection readyConnectionTo(Server server);

  /**
   * Why the request that is being looked at may wait for no server any more; null if it may. A
   * request to several asks before {@link #connectionTo}, which would take it to be about the first
   * of them.
   */
  String takeTooLate();

  /** Sends what was forwarded as it is; before anything else is written to a server. */
  void flushRun();

  /**
   * Sends a request over a connection that no other client uses meanwhile, once all earlier
   * requests are answered; the next waits until it is.
   *
   * @param exchange the client's only one
   * @param head what is sent first; consumed
   * @param body bytes of the client's input that follow it, a line end to be cut among them
   * @param closes whether the connection is closed behind it
   */
  void sendAlone(
      Server server, Exchange exchange, ByteBuf head, int body, boolean closes, LineEnd ending);

  // --- order ----------------------------------------------------------------------------------

  /** Runs task in an iteration of the event loop of its own. */
  void later(Runnable task);

  /**
   * Lets nothing be sent until exchange, which is to be asked again, and all else is answered;
   * false if something was sent behind it that changes items, which it must not see.
   */
  boolean waitsFor(Exchange exchange);

  /** Lets nothing more be sent until all that was is answered. */
  void waitsForAll();

  /**
   * A change is answered that some of its servers have yet to answer: what follows waits for them.
   */
  void lags(UnsettledChange change);

  /** All servers of a change have answered. */
  void lagsNoMore(UnsettledChange change);

  /** So many more requests, which are answered, count as under way; negative: fewer. */
  void owes(int more);

  /**
   * The reply whose turn it is asks for more: nothing else is sent until all is answered, and
   * nothing else keeps that from being read.
   */
  void joins();

  // --- single flight --------------------------------------------------------------------------

  /**
   * Whether the request that is being looked at may wait for another: it does so once, not counting
   * those that were never sent.
   */
  boolean mayAwait();

  /** The request that is being looked at waits for another. */
  void awaits();

  /** Whether the request that is being looked at has waited for another. */
  boolean hasAwaited();

  /** Whether the one that it has waited for, just now, found nothing. */
  boolean takeMissed();

  // --- memory ---------------------------------------------------------------------------------

  /** Counts bytes of a value that is held for this client; negative: no longer. */
  void holdValue(long delta);

  /**
   * Counts bytes of the reply that it is waiting for, which is put together; negative: no longer.
   */
  void joins(long delta);

  /** Whether there is room for a value that it is sending. */
  boolean hasRoom();
}
