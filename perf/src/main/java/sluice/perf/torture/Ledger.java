package sluice.perf.torture;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import sluice.perf.torture.Journal.Asked;
import sluice.perf.torture.Sent.Write;
import sluice.testkit.selfcheck.Acknowledgements;

/**
 * Comparison of each acknowledged write with the journals of the servers that the route names. As
 * many of them as required must have answered, after the client's request and before its
 * acknowledgement. Where several must, it suffices that one has carried it out and another could
 * not because of its item, as {@code NOT_STORED} states.
 */
final class Ledger implements Acknowledgements {
  private final History history;
  private final Servers servers;
  private final Findings findings;
  private final Answers answers;
  private final Map<Setting.Keys, LongAdder> matched = adders();
  private final Map<Setting.Keys, LongAdder> unmatched = adders();
  private final ConcurrentLinkedQueue<String> retired = new ConcurrentLinkedQueue<>();

  Ledger(History history, Servers servers, Findings findings) {
    this.history = history;
    this.servers = servers;
    this.findings = findings;
    this.answers = new Answers(server -> servers.get(server).journal());
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
    Asked asked = new Asked(write, flags, sentNanos, answeredNanos);
    Setting.Keys keys = Setting.Keys.of(key);
    List<Setting> settings = history.between(sentNanos, answeredNanos);
    List<Destination> destinations =
        settings.stream().map(setting -> setting.destination(write, dialect, key)).toList();
    if (answers.match(asked, destinations)) {
      count(matched, keys).increment();
      return;
    }
    count(unmatched, keys).increment();
    findings.wrong(
        "%s of %s by a %s client was acknowledged, but not by the server that the route names: %s%s"
            .formatted(
                write,
                key,
                dialect,
                destinations.stream().map(Destination::pools).toList(),
                elsewhere(asked, key) + said(asked, key)));
  }

  /** What servers said lately of such writes to the key, by when it was asked for. */
  private String said(Asked asked, String key) {
    StringBuilder said =
        new StringBuilder(
            ". Known %.3f ms after it was sent.".formatted(millis(asked, asked.toNanos())));
    for (int i = 0; i < Servers.COUNT; i++) {
      for (String name : Setting.names(key)) {
        for (Journal.Entry entry : servers.get(i).journal().all(name)) {
          if (entry.sent().write() == asked.write()) {
            said.append(
                " Server %d of %s: asked %.3f ms behind it, answered %.3f, %s."
                    .formatted(
                        i,
                        name,
                        millis(asked, entry.sent().nanos()),
                        millis(asked, entry.answeredNanos()),
                        entry.done() ? "done" : "refused"));
          }
        }
      }
    }
    return said.toString();
  }

  private static double millis(Asked asked, long nanos) {
    return (nanos - asked.fromNanos()) / 1e6;
  }

  private String elsewhere(Asked asked, String key) {
    StringBuilder others = new StringBuilder();
    for (int i = 0; i < Servers.COUNT; i++) {
      for (String name : Setting.names(key)) {
        Journal journal = servers.get(i).journal();
        if (journal.answers(asked, name, Rule.SPLIT_FLAG).stream().anyMatch(Journal.Entry::done)) {
          others.append("; server ").append(i).append(" did, for ").append(name);
        }
      }
    }
    return others.isEmpty() ? "; nor by another" : others.toString();
  }

  @Override
  public void retired(String key) {
    retired.add(key);
  }

  /** Keys that no client asks for any more, in the order of their end; a sweep removes them. */
  ConcurrentLinkedQueue<String> retired() {
    return retired;
  }

  /** Writes whose acknowledgement a server gave, too. */
  long matched() {
    return sum(matched);
  }

  /** Writes without. */
  long unmatched() {
    return sum(unmatched);
  }

  /** Of each kind of keys, writes with that acknowledgement and without. */
  String byKeys() {
    return Arrays.stream(Setting.Keys.values())
        .map(
            keys ->
                "%s %d, %d"
                    .formatted(
                        keys.label(), count(matched, keys).sum(), count(unmatched, keys).sum()))
        .collect(Collectors.joining("; "));
  }

  @SuppressWarnings("NullAway") // there is one of each kind
  private static LongAdder count(Map<Setting.Keys, LongAdder> adders, Setting.Keys keys) {
    return adders.get(keys);
  }

  private static Map<Setting.Keys, LongAdder> adders() {
    Map<Setting.Keys, LongAdder> adders = new EnumMap<>(Setting.Keys.class);
    for (Setting.Keys keys : Setting.Keys.values()) {
      adders.put(keys, new LongAdder());
    }
    return adders;
  }

  private static long sum(Map<Setting.Keys, LongAdder> adders) {
    return adders.values().stream().mapToLong(LongAdder::sum).sum();
  }
}
