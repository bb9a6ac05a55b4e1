package sluice.gateway.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;

/**
 * Liveness probe of the event loops. It is created and used on one event loop, to which the others'
 * answers return, so nothing is shared between threads.
 */
final class LoopsProbe {
  private final Vertx vertx;
  private final Context asker;
  private final Promise<Integer> silent = Promise.promise();
  private int waitingFor;
  private long timer;

  private LoopsProbe(Vertx vertx) {
    this.vertx = vertx;
    this.asker = vertx.getOrCreateContext();
  }

  /**
   * The number of {@code loops} that did not run a task within {@code deadlineMillis}; completes
   * early if all did.
   */
  static Future<Integer> silentLoops(Vertx vertx, List<Context> loops, long deadlineMillis) {
    return loops.isEmpty()
        ? Future.succeededFuture(0)
        : new LoopsProbe(vertx).ask(loops, deadlineMillis);
  }

  private Future<Integer> ask(List<Context> loops, long deadlineMillis) {
    waitingFor = loops.size();
    timer = vertx.setTimer(deadlineMillis, unused -> silent.tryComplete(waitingFor));
    for (Context loop : loops) {
      loop.runOnContext(unused -> asker.runOnContext(alsoUnused -> answered()));
    }
    return silent.future();
  }

  private void answered() {
    waitingFor--;
    if (waitingFor == 0 && silent.tryComplete(0)) {
      vertx.cancelTimer(timer);
    }
  }
}
