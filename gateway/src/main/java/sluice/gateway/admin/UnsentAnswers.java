package sluice.gateway.admin;

import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import sluice.gateway.net.Sockets;

/**
 * Answers that their callers have not taken yet. Beyond a limit of their bytes, the connection
 * whose answer has waited longest is closed: callers that do not read would otherwise fill the
 * memory. Used on the port's event loop.
 */
final class UnsentAnswers {
  private final long most;
  private final Set<Waiting> waiting = new LinkedHashSet<>(); // the oldest first
  private long bytes;

  /** One answer; compared by identity. */
  private static final class Waiting {
    private final HttpConnection connection;
    private final int length;

    Waiting(HttpConnection connection, int length) {
      this.connection = connection;
      this.length = length;
    }
  }

  /**
   * @param most bytes of all answers together, unless they are of one connection
   */
  UnsentAnswers(long most) {
    this.most = most;
  }

  /**
   * Counts an answer until its caller has taken it.
   *
   * @param sent completes then, or when the connection has closed
   */
  void add(HttpConnection connection, int length, Future<Void> sent) {
    Waiting answer = new Waiting(connection, length);
    waiting.add(answer);
    bytes += length;
    sent.onComplete(done -> remove(answer));
    Optional<HttpConnection> oldest = oldestBut(connection);
    while (bytes > most && oldest.isPresent()) {
      drop(oldest.get());
      oldest = oldestBut(connection);
    }
  }

  private Optional<HttpConnection> oldestBut(HttpConnection own) {
    return waiting.stream()
        .map(answer -> answer.connection)
        .filter(connection -> connection != own)
        .findFirst();
  }

  private void drop(HttpConnection connection) {
    for (Waiting answer : Set.copyOf(waiting)) {
      if (answer.connection == connection) {
        remove(answer);
      }
    }
    Sockets.abort(connection);
  }

  private void remove(Waiting answer) {
    if (waiting.remove(answer)) {
      bytes -= answer.length;
    }
  }
}
