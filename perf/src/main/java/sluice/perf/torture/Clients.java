package sluice.perf.torture;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.testkit.selfcheck.HeldKey;
import sluice.testkit.selfcheck.SelfCheck;
import sluice.testkit.selfcheck.Tally;

/** The clients of a run: groups with a thread each, which check what they are answered. */
final class Clients {
  private static final int LARGEST_VALUE = 300_000;

  /** Chunks of values that are not there any more stay on servers that never forget. */
  private static final int LARGEST_IN_CHUNKS = 30_000;

  /** While the gateway starts again, nothing but this keeps clients from asking on and on. */
  private static final Duration RECONNECT_AFTER = Duration.ofMillis(100);

  /** One group, with as many connections of each dialect as its share. */
  private final class Group {
    private final String name;
    private final Setting.Keys keys;
    private final SelfCheck check;
    private final int waits;
    private final Thread thread;
    private volatile @Nullable Tally tally; // null until it has ended

    Group(Setting.Keys keys, boolean encrypted, InetSocketAddress address, int share) {
      this.name = keys.label() + (encrypted ? " over TLS" : "");
      this.keys = keys;
      waits = keys == Setting.Keys.PLAIN ? 1 : WAITS;
      int number = groups.size();
      check =
          SelfCheck.against(address)
              .seed(options.seed() * 31 + number * 1000L)
              .connections(share, share, share)
              .requests(options.requests() * share / REQUEST_SHARES)
              .largestValue(keys == Setting.Keys.SPLIT ? LARGEST_IN_CHUNKS : LARGEST_VALUE)
              .prefix(keys.letter + (encrypted ? "b-" : "a-"))
              .crossReads()
              .tell(ledger)
              .replyLimit(
                  () -> Duration.ofMillis(options.limitMillis(waits) + pauses.allowanceMillis()))
              .reconnectAfter(RECONNECT_AFTER)
              .deadline(options.minutes().plusMinutes(5));
      if (options.tolerant()) {
        check.tolerant();
      }
      switch (keys) {
        // What several pools hold has several cas uniques, so they are not asked for.
        case REPLICATED -> check.lingering().additions();
        case NEAR -> check.lingering().cas().additions().counters();
        case SPLIT -> check.largePercent(20).cas().additions().counters();
        case PLAIN, SHADOWED -> check.cas().additions().counters();
        case MANY -> check.forgetful();
        case MOVING, MOVING_SPLIT -> check.forgetful().cas();
      }
      thread = new Thread(this::run, name);
      thread.setDaemon(true);
    }

    private void run() {
      try {
        tally = check.run();
      } catch (IOException | RuntimeException e) {
        findings.wrong("the clients " + name + " ended with " + e);
      } finally {
        running.countDown();
      }
    }

    private long requests() {
      Tally ended = tally;
      return ended == null ? 0 : ended.sent();
    }
  }

  /**
   * Chunks, warm-ups, failovers and the like send requests one after the other, each with its
   * timeout, and replies are in order: this many waits may precede one.
   */
  private static final int WAITS = 8;

  /** Of all groups. */
  private static final int REQUEST_SHARES = 12;

  private final Options options;
  private final MachinePauses pauses;
  private final Ledger ledger;
  private final Findings findings;
  private final List<Group> groups = new ArrayList<>();
  private final CountDownLatch running;

  /**
   * Clients of these addresses. A gateway listens on plain. The addresses of wrong lead to it over
   * a proxy that lies to the clients of such keys, and secure over one that adds TLS.
   */
  Clients(
      Options options,
      MachinePauses pauses,
      Ledger ledger,
      Findings findings,
      InetSocketAddress plain,
      Map<Setting.Keys, InetSocketAddress> wrong,
      InetSocketAddress secure) {
    this.options = options;
    this.pauses = pauses;
    this.ledger = ledger;
    this.findings = findings;
    for (Setting.Keys keys : Setting.Keys.values()) {
      boolean common = keys == Setting.Keys.PLAIN || keys == Setting.Keys.MOVING;
      groups.add(new Group(keys, false, wrong.getOrDefault(keys, plain), common ? 2 : 1));
    }
    groups.add(new Group(Setting.Keys.PLAIN, true, secure, 1));
    groups.add(new Group(Setting.Keys.MOVING, true, secure, 1));
    running = new CountDownLatch(groups.size());
  }

  void start() {
    groups.forEach(group -> group.thread.start());
  }

  boolean areRunning() {
    return running.getCount() > 0;
  }

  /** Ends them, unless they have sent all, and waits until they are answered. */
  void stop() throws InterruptedException {
    groups.forEach(group -> group.check.stop());
    if (!running.await(5, TimeUnit.MINUTES)) {
      findings.wrong("clients did not come to their end");
    }
  }

  /** What the steady keys can hold. */
  List<HeldKey> held() {
    List<HeldKey> held = new ArrayList<>();
    groups.stream()
        .filter(group -> group.keys.steady)
        .forEach(group -> held.addAll(group.check.held()));
    return held;
  }

  /** Requests sent; once they have stopped. */
  long requests() {
    return groups.stream().mapToLong(Group::requests).sum();
  }

  /** Judges and tells what the clients saw. */
  void judge() {
    long pauseMillis = pauses.allowanceMillis();
    Map<String, Integer> reasons = new TreeMap<>();
    for (Group group : groups) {
      Tally tally = group.tally;
      if (tally == null) {
        continue;
      }
      findings.say("clients " + group.name + ": " + tally);
      tally.reasons().forEach((reason, count) -> reasons.merge(reason, count, Integer::sum));
      judgeFailures(group, tally, pauseMillis);
      if (tally.wrong() > 0) {
        findings.wrong(tally.wrong() + " wrong replies to " + group.name);
      }
      if (tally.hangs() > 0) {
        findings.wrong(tally.hangs() + " replies never came to " + group.name);
      }
      if (!options.tolerant() && tally.errors() + tally.unanswered() + tally.reconnects() > 0) {
        findings.wrong("requests of " + group.name + " failed, or connections closed");
      }
    }
    reasons.forEach((reason, count) -> findings.say("  errors: " + count + ' ' + reason));
  }

  private void judgeFailures(Group group, Tally tally, long pauseMillis) {
    long millis = TimeUnit.NANOSECONDS.toMillis(tally.longestFailureNanos());
    long limit = options.limitMillis(group.waits) + pauseMillis;
    findings.say(
        "  failures: the last answered after %d ms, at most %d allowed (of which the machine %d)"
            .formatted(millis, limit, options.slackMillis() + pauseMillis));
    if (millis > limit) {
      findings.wrong("a failure of " + group.name + " was answered after " + millis + " ms");
    }
  }
}
