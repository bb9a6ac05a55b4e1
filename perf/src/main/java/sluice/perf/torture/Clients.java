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
import sluice.gateway.torture.HeldKey;
import sluice.gateway.torture.SelfCheck;
import sluice.gateway.torture.Tally;

/** The clients of a run: groups with a thread each, which check what they are answered. */
final class Clients {
  private static final int LARGEST_VALUE = 300_000;

  /** While the gateway starts again, nothing but this keeps clients from asking on and on. */
  private static final Duration RECONNECT_AFTER = Duration.ofMillis(100);

  /** One group; keys of the steady ones never move and are never lost. */
  private final class Group {
    private final String name;
    private final boolean steady;
    private final SelfCheck check;
    private final Thread thread;
    private volatile Tally tally;

    Group(String name, String prefix, InetSocketAddress address, int each, int number) {
      this.name = name;
      steady = prefix.startsWith(Setting.STEADY);
      check =
          SelfCheck.against(address)
              .seed(options.seed() * 31 + number * 1000L)
              .connections(each, each, each)
              .requests(options.requests() * each / REQUEST_SHARES)
              .largestValue(LARGEST_VALUE)
              .prefix(prefix)
              .cas()
              .tell(ledger)
              .replyLimit(Duration.ofMillis(options.limitMillis()))
              .reconnectAfter(RECONNECT_AFTER)
              .deadline(options.minutes().plusMinutes(5));
      if (options.tolerant()) {
        check.tolerant();
      }
      if (!steady) {
        check.forgetful();
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
  }

  private static final int REQUEST_SHARES = 2 + 2 + 1 + 1;

  private final Options options;
  private final Ledger ledger;
  private final Findings findings;
  private final List<Group> groups = new ArrayList<>();
  private final CountDownLatch running;

  /**
   * Of the addresses, plain is where a gateway listens, wrong leads to it over a proxy that may
   * lie, secure over one that adds TLS.
   */
  Clients(
      Options options,
      Ledger ledger,
      Findings findings,
      InetSocketAddress plain,
      InetSocketAddress wrong,
      InetSocketAddress secure) {
    this.options = options;
    this.ledger = ledger;
    this.findings = findings;
    groups.add(new Group("steady", "sa-", wrong, 2, 0));
    groups.add(new Group("moving", "ma-", plain, 2, 1));
    groups.add(new Group("steady over TLS", "sb-", secure, 1, 2));
    groups.add(new Group("moving over TLS", "mb-", secure, 1, 3));
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
    if (!running.await(1, TimeUnit.MINUTES)) {
      findings.wrong("clients did not come to their end");
    }
  }

  /** What the steady keys can hold. */
  List<HeldKey> held() {
    List<HeldKey> held = new ArrayList<>();
    groups.stream().filter(group -> group.steady).forEach(group -> held.addAll(group.check.held()));
    return held;
  }

  /** Requests sent; once they have stopped. */
  long requests() {
    return groups.stream().mapToLong(group -> group.tally == null ? 0 : group.tally.sent()).sum();
  }

  /** Judges and tells what the clients saw; pauseMillis is what the machine stood still. */
  void judge(long pauseMillis) {
    long failure = 0;
    Map<String, Integer> reasons = new TreeMap<>();
    for (Group group : groups) {
      Tally tally = group.tally;
      if (tally == null) {
        continue;
      }
      findings.say("clients " + group.name + ": " + tally);
      tally.reasons().forEach((reason, count) -> reasons.merge(reason, count, Integer::sum));
      failure = Math.max(failure, tally.longestFailureNanos());
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
    long millis = TimeUnit.NANOSECONDS.toMillis(failure);
    long limit = options.limitMillis() + pauseMillis;
    findings.say(
        "failures: the last answered after %d ms, at most %d allowed (of which the machine %d)"
            .formatted(millis, limit, options.slackMillis() + pauseMillis));
    if (millis > limit) {
      findings.wrong("a failure was answered after " + millis + " ms");
    }
  }
}
