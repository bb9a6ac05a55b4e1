package sluice.perf.simulation;

import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Requests of one connection whose replies are to come, and what has arrived of these. */
final class PendingRequests {
  private final ArrayDeque<Request> requests = new ArrayDeque<>();
  private final Replies replies = new Replies();
  private final Tally tally;

  /** No requests. Tally counts how replies are judged. */
  PendingRequests(Tally tally) {
    this.tally = tally;
  }

  /** A request is sent. */
  void add(Request request) {
    requests.add(request);
  }

  boolean isEmpty() {
    return requests.isEmpty();
  }

  /** The first one, for messages; null for none. */
  @Nullable String first() {
    Request first = requests.peekFirst();
    return first == null ? null : "reply to " + first.line();
  }

  /** Whether one of them may have a part of its reply. */
  boolean isReading() {
    return requests.stream().anyMatch(Request::isRead);
  }

  /**
   * Judges the replies that are complete with these bytes.
   *
   * @param excused whether a fault may be the cause of an error
   * @return what is wrong; null if nothing is
   */
  @Nullable String receive(byte[] bytes, Predicate<String> excused) {
    replies.add(bytes);
    while (!requests.isEmpty()) {
      Request request = requests.getFirst();
      replies.mark();
      boolean exactly = request.isExact();
      String verdict = request.judge(replies);
      if (verdict.equals(Request.INCOMPLETE)) {
        replies.reset();
        return null;
      }
      requests.removeFirst();
      String error = request.error();
      if (error == null) {
        tally.judged(exactly);
      } else if (excused.test(error)) {
        tally.excused(1);
      } else {
        return "an error without a fault: " + error + " to " + request.line();
      }
      if (!verdict.equals(Request.FINE)) {
        return verdict;
      }
    }
    return replies.isEmpty() ? null : "bytes without a request: " + replies.rest();
  }

  /** They will have no replies. */
  void lost() {
    tally.excused(requests.size());
    requests.forEach(Request::unknown);
    requests.clear();
  }
}
