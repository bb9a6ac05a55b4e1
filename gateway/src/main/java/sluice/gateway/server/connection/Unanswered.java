package sluice.gateway.server.connection;

import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Requester;
import sluice.gateway.server.protocol.Reports;
import sluice.names.Command;

/** What becomes of requests that their server does not answer: their requesters are told why. */
public final class Unanswered {
  private Unanswered() {}

  /** Answers exchange, whose place is in no queue any more, with the reason why it has no reply. */
  public static void answer(Exchange exchange, String reason) {
    Requester requester = exchange.requester();
    if (exchange.gathering() != null) {
      exchange.complete();
      exchange.gathering().partCompleted(exchange, reason);
      return;
    }
    if (exchange.hides() != Exchange.HIDE_ALL) {
      exchange.hold(requester.failureReply(exchange, reason));
    }
    exchange.complete();
    requester.advance();
  }

  /**
   * Answers what exchange asks, which keeps its place in the queue: its reply may come yet, and is
   * dropped.
   *
   * @param server its name
   * @param isFailure whether that is the server's failure
   */
  static void timeOut(Exchange exchange, String server, Reports reports, boolean isFailure) {
    String reason = "server " + server + " timed out";
    reports.timedOut(exchange, isFailure);
    if (exchange.gathering() != null) {
      exchange.gathering().partCompleted(exchange, reason);
      exchange.forget();
      return;
    }
    Requester requester = exchange.requester();
    Exchange standIn = requester.standIn(exchange);
    exchange.forget();
    standIn.outcome(exchange.outcome());
    answer(standIn, reason);
  }

  /**
   * The connection of exchange, whose place is in no queue any more, was lost.
   *
   * @param insideValue whether its reply has begun, and cannot be ended by an error
   */
  static void lose(Exchange exchange, Reports reports, boolean insideValue, String reason) {
    if (exchange.gathering() != null) {
      answer(exchange, reason);
    } else if (exchange.command() == Command.SHUTDOWN
        || (exchange.isCommitted() && (insideValue || !endsWithError(exchange)))) {
      exchange.requester().abandon(reason);
    } else {
      reports.lost(exchange);
      if (!exchange.isCommitted()) {
        exchange.releasePieces();
      }
      answer(exchange, reason);
    }
  }

  private static boolean endsWithError(Exchange exchange) {
    return switch (exchange.grammar()) {
      case VALUES, STATS -> true; // an error line in place of END ends the reply
      default -> false;
    };
  }
}
