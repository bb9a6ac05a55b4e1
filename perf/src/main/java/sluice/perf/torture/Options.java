package sluice.perf.torture;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

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
    Path directory) {

  private static final long PARANOID_UP_TO = 200_000;
  private static final long UNTIL_STEPS = 1L << 50;

  static final String USAGE =
      """
      usage: sluice torture [--seed N] [--requests N] [--minutes M] [--only FAULT,...] [--steps N]
                            [--pause-ms N] [--timeout-ms N] [--slack-ms N] [--leaks paranoid|simple]
                            [--wrong DEED,...] [--directory DIR]
      Self-checking clients before a gateway whose servers, configuration and certificates change and fail.
      --only     of %s;
                 `reloads` for reload and renew-certificates, with which no request may fail; `none`
      --steps    ends the run behind so many of them, not with its requests
      --wrong    of %s: the gateway, or a proxy before it, lies in that way; the run must fail
      Exit code: 0 all checks passed, 1 one did not, 2 the command line is wrong.
      """
          .formatted(
              Arrays.stream(Fault.values()).map(Fault::label).collect(Collectors.joining(", ")),
              Arrays.stream(Wrong.values()).map(Wrong::label).collect(Collectors.joining(", ")));

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

  /**
   * What the command line says.
   *
   * @throws IllegalArgumentException if it says something else; the message names it
   */
  static Options parse(List<String> arguments) {
    long seed = System.nanoTime() & 0xffffffL;
    long requests = 1_000_000;
    int minutes = 60;
    int steps = 0;
    Set<Fault> faults = EnumSet.allOf(Fault.class);
    Set<Wrong> wrong = EnumSet.noneOf(Wrong.class);
    int timeout = 300;
    int pause = 0;
    int slack = 2000;
    Boolean paranoid = null; // depends on what else is said
    Path directory = null;
    for (Iterator<String> i = arguments.iterator(); i.hasNext(); ) {
      String option = i.next();
      if (!i.hasNext()) {
        throw new IllegalArgumentException("found " + option + " without a value");
      }
      String value = i.next();
      switch (option) {
        case "--seed" -> seed = Long.parseLong(value);
        case "--requests" -> requests = Long.parseLong(value);
        case "--minutes" -> minutes = Integer.parseInt(value);
        case "--steps" -> {
          steps = Integer.parseInt(value);
          requests = UNTIL_STEPS;
        }
        case "--only" -> faults = faults(value);
        case "--pause-ms" -> pause = Integer.parseInt(value);
        case "--timeout-ms" -> timeout = Integer.parseInt(value);
        case "--slack-ms" -> slack = Integer.parseInt(value);
        case "--leaks" -> paranoid = value.equals("paranoid");
        case "--wrong" -> wrong = deeds(value);
        case "--directory" -> directory = Path.of(value);
        default -> throw new IllegalArgumentException("found the option " + option);
      }
    }
    // Nothing is to fail, so nothing may run into a timeout, however busy the machine is.
    boolean gentle = !breaksRequests(faults) && wrong.isEmpty();
    return new Options(
        seed,
        requests,
        Duration.ofMinutes(minutes),
        steps,
        faults,
        wrong,
        gentle ? Math.max(timeout, 10_000) : timeout,
        pause > 0 ? pause : gentle ? 100 : 400,
        slack,
        paranoid == null ? requests <= PARANOID_UP_TO && steps == 0 : paranoid,
        directory);
  }

  private static Set<Fault> faults(String value) {
    Set<Fault> faults = EnumSet.noneOf(Fault.class);
    for (String label : value.split(",", -1)) {
      switch (label) {
        case "none" -> {}
        case "reloads" -> {
          faults.add(Fault.RELOAD);
          faults.add(Fault.RENEW_CERTIFICATES);
        }
        default ->
            faults.add(
                Arrays.stream(Fault.values())
                    .filter(fault -> fault.label().equals(label))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("found the fault " + label)));
      }
    }
    return faults;
  }

  private static Set<Wrong> deeds(String value) {
    Set<Wrong> deeds = EnumSet.noneOf(Wrong.class);
    for (String label : value.split(",", -1)) {
      deeds.add(
          Arrays.stream(Wrong.values())
              .filter(deed -> deed.label().equals(label))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("found the deed " + label)));
    }
    return deeds;
  }

  private static boolean breaksRequests(Set<Fault> faults) {
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

  /** As {@link #limitMillis()}, behind so many that wait for servers one after the other. */
  long limitMillis(int waits) {
    return 2L * waits * timeoutMillis + Setting.STALL_MILLIS + slackMillis;
  }
}
