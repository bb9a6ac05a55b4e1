package sluice.gateway.server.connection;

import sluice.gateway.request.PendingReply;
import sluice.gateway.request.PendingReply.Requester;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.protocol.Reports;
import sluice.gateway.server.protocol.ServerContext;
import sluice.names.Command;

/** Answers to requests without a reply: clients get the reason. */
public final class Unanswered {
  private Unanswered() {}

  /**
   * Answers request, which is on no connection any more, with the reason. Consumes request, whose
   * client waits.
   */
  public static void answer(ServerRequest request, ServerContext server, String reason) {
    PendingReply reply = awaited(request);
    server.requestPool().give(request);
    answer(reply, reason);
  }

  private static void answer(PendingReply reply, String reason) {
    Requester requester = reply.requester();
    if (reply.aggregator() != null) {
      reply.complete();
      reply.aggregator().subrequestCompleted(reply, reason);
      return;
    }
    if (reply.suppression() != Suppression.ALL) {
      reply.hold(requester.failureReply(reply, reason));
    }
    reply.complete();
    requester.advance();
  }

  /**
   * Answers request, whose client waits. It keeps its place in the queue: a late reply is dropped.
   *
   * @param server its name
   * @param isFailure whether the server is to blame
   */
  static void timeOut(ServerRequest request, String server, Reports reports, boolean isFailure) {
    reports.timedOut(request, isFailure);
    request.giveUp();
    PendingReply reply = awaited(request);
    reply.detach();
    answer(reply, "server " + server + " timed out");
  }

  /**
   * Answers request, whose connection was lost, and which is in no queue any more. Consumes
   * request, whose client waits.
   *
   * @param insideValue whether its reply has begun, and cannot be ended by an error
   */
  static void lose(
      ServerRequest request, ServerContext server, boolean insideValue, String reason) {
    PendingReply reply = awaited(request);
    if (reply.aggregator() != null) {
      answer(request, server, reason);
    } else if (reply.command() == Command.SHUTDOWN
        || (reply.isCommitted() && (insideValue || !endsWithError(reply)))) {
      server.requestPool().give(request);
      reply.requester().abandon(reason);
    } else {
      server.reports().lost(request);
      if (!reply.isCommitted()) {
        reply.releaseSlices();
      }
      answer(request, server, reason);
    }
  }

  @SuppressWarnings("NullAway") // its client waits
  private static PendingReply awaited(ServerRequest request) {
    return request.reply();
  }

  private static boolean endsWithError(PendingReply reply) {
    return switch (reply.kind()) {
      case VALUES, STATS -> true; // an error line in place of END ends the reply
      default -> false;
    };
  }
}
