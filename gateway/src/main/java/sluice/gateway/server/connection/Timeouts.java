package sluice.gateway.server.connection;

import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.ExchangeQueue;
import sluice.gateway.exchange.Grammar;
import sluice.gateway.exchange.Requester;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.protocol.ServerContext;

/** Answers for a server what it has not answered in time on one connection. */
final class Timeouts {
  /** The connection. */
  interface Watched {
    /** Whether the first reply has begun and is not whole. */
    boolean isInsideReply();

    /** Whether it is not read because of who does not take replies. */
    boolean isCongested();

    /** Whether it is not read because of this requester. */
    boolean isHeldUpBy(Requester requester);

    /** Takes no new requests until the late replies have come; others go elsewhere. */
    void standAside();

    /** Closes for a reason that is the server's. */
    void fail(String reason);

    /** Closes for a reason that is not the server's. */
    void failForClient(String reason);
  }

  private final Watched connection;
  private final ExchangeQueue queue;
  private final ReadPauses pauses;
  private final ServerContext server;
  private final Loop loop;

  /** For connection, on which queue waits. */
  Timeouts(Watched connection, ServerContext server, ExchangeQueue queue, ReadPauses pauses) {
    this.connection = connection;
    this.queue = queue;
    this.pauses = pauses;
    this.server = server;
    this.loop = server.loop();
  }

  /** Whether a reply is overdue whose requester was answered already. */
  boolean isOwedLateReply() {
    Exchange first = queue.peek();
    return first != null && (first.requester() == null || first.isForeign()) && isOverdue(first, 1);
  }

  private boolean isOverdue(Exchange exchange, int times) {
    return pauses.waited(exchange) > times * server.timeoutNanos();
  }

  /**
   * Whether the server has sent nothing for a whole timeout. A server that does send is not to
   * blame for a request that times out: the request waits behind the large replies of other
   * clients.
   */
  private boolean isSilent() {
    return pauses.silent() > server.timeoutNanos();
  }

  /** Called every few milliseconds, while something waits. */
  void sweep() {
    if (pauses.isHeldUp()) {
      timeOutOthers();
      return;
    }
    Exchange first = queue.peek();
    if (first.grammar() == Grammar.STREAM) {
      return;
    }
    if (connection.isInsideReply() && isSilent()) {
      connection.fail("server " + server.name() + " stopped in the middle of a reply");
      return;
    }
    int waiting = connection.isInsideReply() ? 1 : 0; // whose reply has begun is being served
    if (waiting == queue.size() || !isOverdue(queue.get(waiting), 1)) {
      return;
    }
    if (waiting == 0 && isOverdue(first, 2)) {
      String reason = "server " + server.name() + " did not answer";
      if (isSilent()) {
        connection.fail(reason);
      } else {
        connection.failForClient(reason); // what clients that are gone have asked for goes with it
      }
      return;
    }
    connection.standAside();
    for (int i = waiting; i < queue.size(); i++) {
      Exchange exchange = queue.get(i);
      if (!isOverdue(exchange, 1)) {
        break;
      }
      if (exchange.isForeign()) {
        continue; // its own loop answers it
      }
      if (exchange.requester() != null) {
        Unanswered.timeOut(exchange, server.name(), server.reports(), isSilent());
      } else if (!exchange.isLate()) {
        // A copy that is not waited for any more, or its client is gone.
        server.reports().timedOut(exchange, isSilent());
      }
    }
  }

  /**
   * Paused, time does not count against the server; but who is not the reason for the pause, or for
   * one after the other, waits no longer than twice the timeout.
   */
  private void timeOutOthers() {
    for (int i = connection.isInsideReply() ? 1 : 0; i < queue.size(); i++) {
      Exchange exchange = queue.get(i);
      // Of a guest whose host alone does not read, the client that it waits for may be this one,
      // which has begun to read again.
      boolean waits =
          connection.isCongested()
              ? loop.now() - exchange.started() <= 2 * server.timeoutNanos()
              : !isOverdue(exchange, 2);
      if (waits) {
        break;
      }
      if (exchange.requester() != null
          && !exchange.isForeign()
          && !connection.isHeldUpBy(exchange.requester())) {
        Unanswered.timeOut(exchange, server.name(), server.reports(), false);
      }
    }
  }
}
