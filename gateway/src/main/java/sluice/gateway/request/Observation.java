package sluice.gateway.request;

import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.RuleMetrics;
import sluice.gateway.samples.KeyNote;

/** Facts about one request that metrics and logs report. Times are System.nanoTime's. */
final class Observation {
  private long started;
  private long askedAt;
  private long serverNanos;
  private Outcome outcome = Outcome.OK;
  private @Nullable RequestConnection asked;
  private @Nullable RuleMetrics rule;
  private @Nullable KeyNote note; // null until the first

  void reset() {
    serverNanos = 0;
    outcome = Outcome.OK;
    asked = null;
    rule = null;
    if (note != null) {
      note.clear();
    }
  }

  void start(long now) {
    started = now;
  }

  long started() {
    return started;
  }

  /** The gateway sends requests of its own to several servers for the reply. */
  void askServers(long now) {
    askedAt = now;
  }

  /** Those servers have answered. */
  void serversAnswered(long now) {
    serverTook(now - askedAt);
  }

  void serverTook(long nanos) {
    serverNanos = Math.max(0, nanos);
  }

  long serverNanos() {
    return serverNanos;
  }

  void outcome(Outcome of) {
    outcome = of;
  }

  Outcome outcome() {
    return outcome;
  }

  void sentTo(RequestConnection server) {
    asked = server;
  }

  @Nullable RequestConnection asked() {
    return asked;
  }

  void rule(@Nullable RuleMetrics matched) {
    rule = matched;
  }

  @Nullable RuleMetrics rule() {
    return rule;
  }

  /** Copies noted. */
  void note(KeyNote noted) {
    if (note == null) {
      note = new KeyNote();
    }
    note.copy(noted);
  }

  @Nullable KeyNote note() {
    return note;
  }
}
