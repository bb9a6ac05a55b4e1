package sluice.perf.torture;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import sluice.gateway.torture.Acknowledgements;
import sluice.perf.torture.Sent.Write;

/**
 * Holds each write that a client was told is done against the journal of the server that the route
 * names: it must have said so itself, after the client asked and before the client knew.
 */
final class Ledger implements Acknowledgements {
  private final History history;
  private final Servers servers;
  private final Findings findings;
  private final LongAdder matched = new LongAdder();
  private final LongAdder unmatched = new LongAdder();
  private final ConcurrentLinkedQueue<String> retired = new ConcurrentLinkedQueue<>();

  Ledger(History history, Servers servers, Findings findings) {
    this.history = history;
    this.servers = servers;
    this.findings = findings;
  }

  @Override
  public void stored(String dialect, String key, int flags, long sentNanos, long answeredNanos) {
    match(Write.STORE, dialect, key, flags, sentNanos, answeredNanos);
  }

  @Override
  public void deleted(String dialect, String key, long sentNanos, long answeredNanos) {
    match(Write.DELETE, dialect, key, 0, sentNanos, answeredNanos);
  }

  private void match(
      Write write, String dialect, String key, int flags, long sentNanos, long answeredNanos) {
    List<Setting> settings = history.between(sentNanos, answeredNanos);
    for (Setting setting : settings) {
      for (Setting.Place place : setting.places(dialect, key)) {
        Journal journal = servers.get(place.server()).journal();
        if (journal.take(write, place.key(), flags, sentNanos, answeredNanos)) {
          matched.increment();
          return;
        }
      }
    }
    unmatched.increment();
    findings.wrong(
        "%s of %s by a %s client was acknowledged, but not by the server that the route names: %s%s"
            .formatted(
                write,
                key,
                dialect,
                settings.stream().map(setting -> setting.places(dialect, key)).toList(),
                elsewhere(write, key, flags, sentNanos, answeredNanos)));
  }

  private String elsewhere(Write write, String key, int flags, long from, long to) {
    for (int i = 0; i < Servers.COUNT; i++) {
      for (String name : Setting.names(key)) {
        if (servers.get(i).journal().take(write, name, flags, from, to)) {
          return "; server " + i + " did, for " + name;
        }
      }
    }
    return "; nor by another";
  }

  @Override
  public void retired(String key) {
    retired.add(key);
  }

  /** Keys that nobody asks for any more, in the order of their end; taken out by who sweeps. */
  ConcurrentLinkedQueue<String> retired() {
    return retired;
  }

  /** Writes whose acknowledgement a server gave, too. */
  long matched() {
    return matched.sum();
  }

  /** Writes without. */
  long unmatched() {
    return unmatched.sum();
  }
}
