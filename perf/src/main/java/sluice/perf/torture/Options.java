package sluice.perf.torture;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Transport;

/**
 * What a run is to be.
 *
 * @param requests how many in all; the run ends with them, or before
 * @param minutes when to end although requests are left
 * @param steps things that happen, to end behind; 0 for no such end
 * @param faults what may happen
 * @param wrong what is done wrong, by a proxy between some clients and the gateway or by the
 *     gateway itself, to show that it is found
 * @param timeoutMillis the longest that pools of the gateway wait for a reply
 * @param pauseMillis the longest pause between two things that happen
 * @param slackMillis what a failure may take on top, because the machine has other work
 * @param paranoid whether every buffer of the gateway is watched, which costs it a lot
 * @param transport of the gateway's sockets ({@code process.transport})
 * @param directory for logs and the configuration; null for a new one
 */
record Options(
    long seed,
    long requests,
    Duration minutes,
    int steps,
    Set<Fault> faults,
    Set<Wrong> wrong,
    int timeoutMillis,
    int pauseMillis,
    int slackMillis,
    boolean paranoid,
    Transport transport,
    @Nullable Path directory) {

  /** What can be done wrong, each to keys of its own. */
  enum Wrong {
    /** Two replies change places. */
    SWAP(Setting.Keys.MOVING_SPLIT),
    /** A write is acknowledged and not sent. */
    ACKNOWLEDGE(Setting.Keys.MOVING),
    /** A reply never comes. */
    DROP(Setting.Keys.MANY),
    /** The replies to two clients change places. */
    CROSS(Setting.Keys.PLAIN),
    /** A read gets what another one got before. */
    STALE(Setting.Keys.NEAR),
    /** A value is put together of two. */
    TORN(Setting.Keys.SPLIT),
    /** Of several pools one alone is asked. */
    SINGLE(Setting.Keys.REPLICATED),
    /** The shadow answers. */
    SHADOWED(Setting.Keys.SHADOWED);

    private final Setting.Keys keys;

    Wrong(Setting.Keys keys) {
      this.keys = keys;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whose clients are to notice. */
    Setting.Keys keys() {
      return keys;
    }

    /** Whether the gateway is told to do it; else a proxy before it does. */
    boolean isConfigured() {
      return this == SINGLE || this == SHADOWED;
    }
  }

  /** Whether one of these faults lets requests fail or connections close. */
  static boolean breaksRequests(Set<Fault> faults) {
    return faults.stream()
        .anyMatch(fault -> fault != Fault.RELOAD && fault != Fault.RENEW_CERTIFICATES);
  }

  /** Whether requests may fail and connections may close. */
  boolean tolerant() {
    return breaksRequests(faults);
  }

  /** Whether requests to servers that are never restarted may fail. */
  boolean tolerantOfSteadyServers() {
    return faults.stream().anyMatch(Fault::breaksRequestsToSteadyServers);
  }

  /** The longest that a request may wait to be answered, by what the gateway is configured to. */
  long limitMillis() {
    return limitMillis(1);
  }

  /** As {@link #limitMillis()}, after this many waits for servers one after the other. */
  long limitMillis(int waits) {
    return 2L * waits * timeoutMillis + Setting.STALL_MILLIS + slackMillis;
  }
}
