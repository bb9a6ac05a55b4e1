package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testkit.Patience;
import sluice.testkit.misbehaving.Fault;
import sluice.testkit.misbehaving.MisbehavingClients;
import sluice.testkit.misbehaving.MisbehavingServer;
import sluice.testkit.selfcheck.SelfCheck;
import sluice.testkit.selfcheck.Tally;

/**
 * Servers and other clients misbehave, and no client gets a reply that is not its own. None waits
 * for ever, and nothing is left behind.
 *
 * <p>The long run is {@code -Dgroups=long -Dsluice.torture.requests=1000000}.
 */
class MisbehaviourTest {
  private static final long SEED = Long.getLong("sluice.torture.seed", 20_261_121);
  private static final long LONG_RUN = Long.getLong("sluice.torture.requests", 1_000_000);
  private static final Duration TIMEOUT = Duration.ofMillis(300);
  private static final long BEYOND_TIMEOUT = 400;

  /**
   * How long a reply may take. A request that comes just before its server falls silent may wait
   * for a connection (queueTimeout), then for its reply, each up to the timeout. The rest is for a
   * machine that is busy with the test itself.
   */
  private static final Duration REPLY_LIMIT = Duration.ofSeconds(30);

  private static final Duration SETTLED = Duration.ofSeconds(30);

  /** How often a gateway whose servers behave again may be asked until nothing fails. */
  private static final int RECOVERIES = 5;

  @ParameterizedTest
  @EnumSource(value = Fault.class, names = "MIX_UP", mode = EnumSource.Mode.EXCLUDE)
  void shouldPassOnNoWrongReplyWhenTheServerMisbehaves(Fault fault) throws Exception {
    boolean silent = fault == Fault.STALL_FOREVER;
    try (MisbehavingServer server = new MisbehavingServer(SEED);
        MisbehavingServer second = new MisbehavingServer(SEED + 1);
        RunningGateway gateway = start(server, second)) {
      for (MisbehavingServer each : new MisbehavingServer[] {server, second}) {
        each.with(fault, silent ? 0.001 : 0.01).stallMillis(30);
      }

      Tally tally = check(gateway, silent ? 2_000 : 4_000, 3).run();

      judge(tally, EnumSet.of(fault), server, second);
      assertThat(tally.reconnects()).as("clients closed: %s", tally).isLessThan(tally.sent() / 100);
      shouldHaveRecovered(gateway, server, second);
    }
  }

  /** Meta clients ask for what other servers cannot tell: they are left out there. */
  @ParameterizedTest
  @CsvSource({"meta, 2", "binary, 0", "text, 0", "ignite, 0"})
  void shouldPassOnNoWrongReplyThroughABridge(String dialect, int meta) throws Exception {
    Set<Fault> faults = EnumSet.complementOf(EnumSet.of(Fault.MIX_UP));
    boolean ignite = dialect.equals("ignite");
    try (MisbehavingServer server = new MisbehavingServer(SEED).ignite(ignite);
        MisbehavingServer second = new MisbehavingServer(SEED + 1).ignite(ignite);
        RunningGateway gateway =
            RunningGateway.before(server.address(), second.address())
                .timeout(TIMEOUT.toMillis() + "ms")
                .connectTimeout("1s")
                .dialect(dialect)
                .start()) {
      misbehave(server, faults, 0.001, 30);
      misbehave(second, faults, 0.001, 30);

      Tally tally = check(gateway, 3_000, 3).connections(3, meta, 3).ignite(ignite).run();

      judge(tally, faults, server, second);
      shouldHaveRecovered(gateway, meta, ignite, server, second);
    }
  }

  /** Most clients are another event loop's than the one that has the server's connection. */
  @ParameterizedTest
  @CsvSource({"same, 3", "meta, 3", "binary, 0", "ignite, 0"})
  void shouldPassOnNoWrongReplyWhereEventLoopsShareConnections(String dialect, int meta)
      throws Exception {
    Set<Fault> faults = EnumSet.complementOf(EnumSet.of(Fault.MIX_UP));
    boolean ignite = dialect.equals("ignite");
    try (MisbehavingServer server = new MisbehavingServer(SEED).ignite(ignite);
        MisbehavingServer second = new MisbehavingServer(SEED + 1).ignite(ignite);
        RunningGateway gateway =
            RunningGateway.before(server.address(), second.address())
                .shared(3, 1)
                .timeout(TIMEOUT.toMillis() + "ms")
                .connectTimeout("1s")
                .dialect(dialect)
                .start()) {
      misbehave(server, faults, 0.0005, 30);
      misbehave(second, faults, 0.0005, BEYOND_TIMEOUT);

      Tally tally = check(gateway, 3_000, 3).connections(3, meta, 3).ignite(ignite).run();

      judge(tally, faults, server, second);
      shouldHaveRecovered(gateway, Math.min(2, meta), ignite, server, second);
    }
  }

  @Test
  void shouldPassOnNoWrongReplyWhenEverybodyMisbehaves() throws Exception {
    everybodyMisbehaves(4_000, 3);
  }

  @Test
  @Tag("long")
  @Timeout(value = 90, unit = TimeUnit.MINUTES)
  void shouldPassOnNoWrongReplyWhenEverybodyMisbehavesForLong() throws Exception {
    everybodyMisbehaves(LONG_RUN, 12);
  }

  private static void everybodyMisbehaves(long requests, int connections) throws Exception {
    Set<Fault> faults = EnumSet.complementOf(EnumSet.of(Fault.MIX_UP));
    try (MisbehavingServer server = new MisbehavingServer(SEED);
        MisbehavingServer second = new MisbehavingServer(SEED + 1);
        RunningGateway gateway =
            RunningGateway.before(server.address(), second.address())
                .timeout(TIMEOUT.toMillis() + "ms")
                .connectTimeout("1s")
                .limits("inFlight: 64") // of 200 kB each, which a server must send to who died
                .start()) {
      misbehave(server, faults, 0.0003, 30);
      misbehave(second, faults, 0.0003, BEYOND_TIMEOUT);
      try (MisbehavingClients clients =
          new MisbehavingClients(gateway.address(), SEED).pauseMillis(50)) {
        for (MisbehavingClients.Kind kind : MisbehavingClients.Kind.values()) {
          clients.start(kind, 2);
        }

        Tally tally = check(gateway, requests, connections).run();

        judge(tally, faults, server, second);
        assertThat(Patience.soon(() -> clients.misdeeds() > 0)).isTrue();
        assertThat(clients.wrong()).isEmpty();
      }
      shouldHaveRecovered(gateway, server, second);
    }
  }

  /**
   * From now on server makes all these faults.
   *
   * @param mute the share of requests behind which a connection says nothing again
   * @param stallMillis how long a stall takes that ends
   */
  private static void misbehave(
      MisbehavingServer server, Set<Fault> faults, double mute, long stallMillis) {
    for (Fault fault : faults) {
      server.with(fault, fault == Fault.STALL_FOREVER ? mute : 0.002);
    }
    server.stallMillis(stallMillis);
  }

  private static RunningGateway start(MisbehavingServer server, MisbehavingServer second) {
    return RunningGateway.before(server.address(), second.address())
        .timeout(TIMEOUT.toMillis() + "ms")
        .connectTimeout("1s")
        .start();
  }

  private static SelfCheck check(RunningGateway gateway, long requests, int connections) {
    return SelfCheck.against(gateway.address())
        .seed(SEED)
        .connections(connections, connections, connections)
        .largestValue(40_000) // some beyond what is held before it is written
        .tolerant()
        .replyLimit(REPLY_LIMIT)
        .deadline(Duration.ofSeconds(120 + requests / 500))
        .requests(requests);
  }

  private static void judge(Tally tally, Set<Fault> faults, MisbehavingServer... servers) {
    assertThat(tally.wrong()).as(tally.toString()).isZero();
    assertThat(tally.hangs()).as(tally.toString()).isZero();
    for (Fault fault : faults) {
      int served = 0;
      for (MisbehavingServer server : servers) {
        served += server.served(fault);
      }
      assertThat(served).as("served %s", fault).isPositive();
    }
    // Enough to have been judged. On a slow machine, most requests run into the timeout.
    assertThat(tally.ok()).as(tally.toString()).isGreaterThan(tally.sent() / 20);
  }

  private static void shouldHaveRecovered(RunningGateway gateway, MisbehavingServer... servers)
      throws IOException, InterruptedException {
    shouldHaveRecovered(gateway, 2, false, servers);
  }

  private static void shouldHaveRecovered(
      RunningGateway gateway, int meta, boolean ignite, MisbehavingServer... servers)
      throws IOException, InterruptedException {
    for (MisbehavingServer server : servers) {
      server.behave();
    }
    Thread.sleep(3 * TIMEOUT.toMillis()); // late replies are waited for once more
    Tally after = ask(gateway, meta, ignite);
    // A machine that pauses for longer than the timeout makes errors of its own, but not for ever.
    // After such an error, quiet writes may be lost, and reads cannot be judged.
    for (int i = 1; i < RECOVERIES && troubles(after) > 0; i++) {
      after = ask(gateway, meta, ignite);
    }
    assertThat(after.wrong()).as(after.toString()).isZero();
    assertThat(troubles(after)).as(after.toString()).isZero();
    assertThat(Patience.within(SETTLED, () -> gateway.inFlight() == 0))
        .as("in flight: %d", gateway.inFlight())
        .isTrue();
    assertThat(Patience.within(SETTLED, () -> gateway.bufferedBytes() == 0))
        .as("buffered: %d", gateway.bufferedBytes())
        .isTrue();
  }

  private static Tally ask(RunningGateway gateway, int meta, boolean ignite) throws IOException {
    return SelfCheck.against(gateway.address())
        .seed(SEED + 7)
        .connections(2, meta, 2)
        .ignite(ignite)
        .replyLimit(REPLY_LIMIT)
        .requests(600)
        .run();
  }

  private static long troubles(Tally tally) {
    return tally.errors() + tally.unanswered() + tally.reconnects();
  }
}
