package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;
import sluice.testkit.misbehaving.Fault;
import sluice.testkit.misbehaving.MisbehavingClients;
import sluice.testkit.misbehaving.MisbehavingServer;
import sluice.testkit.selfcheck.SelfCheck;
import sluice.testkit.selfcheck.Tally;

/** The judge itself: that it accepts what is right, and notices what is not. */
@Timeout(600)
final class SelfCheckTest {
  private static SelfCheck check(MisbehavingServer server, int text, int meta, int binary) {
    return SelfCheck.against(server.address())
        .seed(20_260_801)
        .connections(text, meta, binary)
        .replyLimit(Duration.ofSeconds(1)) // broken lengths may make it wait
        .deadline(Duration.ofMinutes(4));
  }

  @Test
  void shouldFindNothingWrongWithAServerThatBehaves() throws IOException {
    try (MisbehavingServer server = new MisbehavingServer(1)) {
      Tally tally =
          check(server, 2, 2, 2).replyLimit(Duration.ofSeconds(30)).requests(30_000).run();

      assertThat(tally.wrong()).as(tally.toString()).isZero();
      assertThat(tally.errors() + tally.unanswered() + tally.reconnects() + tally.hangs()).isZero();
      assertThat(tally.sent()).isGreaterThanOrEqualTo(30_000);
      assertThat(tally.ok() + tally.silent()).isEqualTo(tally.sent());
      assertThat(tally.hits()).isGreaterThan(5_000);
      assertThat(tally.misses()).isGreaterThan(1_000);
    }
  }

  @Test
  void shouldFindNothingWrongWithWhatAMemcachedCounts() throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      Tally tally =
          SelfCheck.against(server.address())
              .connections(2, 2, 2)
              .counters()
              .additions()
              .requests(20_000)
              .run();

      assertThat(tally.wrong()).as(tally.toString()).isZero();
      assertThat(tally.ok() + tally.silent()).isEqualTo(tally.sent());
    }
  }

  @ParameterizedTest
  @CsvSource({"STALL", "STALL_FOREVER", "CLOSE_MID_REPLY", "TRUNCATE_AND_CLOSE", "SINGLE_BYTES"})
  void shouldCountWhatIsLostAndCallNothingWrongThatIsOnlyLateOrMissing(Fault fault)
      throws IOException {
    try (MisbehavingServer server = new MisbehavingServer(2)) {
      server.with(fault, 0.002).stallMillis(5);

      // What is answered at all is answered before a busy machine makes it late.
      Duration limit = Duration.ofMillis(fault == Fault.STALL_FOREVER ? 300 : 30_000);
      Tally tally = check(server, 2, 2, 2).replyLimit(limit).tolerant().requests(10_000).run();

      assertThat(tally.wrong()).as(tally.toString()).isZero();
      assertThat(server.served(fault)).isPositive();
      boolean loses = fault != Fault.STALL && fault != Fault.SINGLE_BYTES;
      assertThat(tally.reconnects() > 0).as(tally.toString()).isEqualTo(loses);
      assertThat(tally.hangs() > 0).as(tally.toString()).isEqualTo(fault == Fault.STALL_FOREVER);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ANSWER_TWICE, text",
    "ANSWER_TWICE, meta",
    "ANSWER_TWICE, binary",
    "GARBAGE, text",
    "GARBAGE, meta",
    "GARBAGE, binary",
    "MIX_UP, text",
    "MIX_UP, meta",
    "MIX_UP, binary"
  })
  void shouldNoticeAReplyThatIsNotTheRequests(Fault fault, String dialect) throws IOException {
    try (MisbehavingServer server = new MisbehavingServer(3)) {
      server.with(fault, 0.01);
      SelfCheck check =
          check(
              server,
              "text".equals(dialect) ? 3 : 0,
              "meta".equals(dialect) ? 3 : 0,
              "binary".equals(dialect) ? 3 : 0);

      Tally tally = check.tolerant().requests(5_000).run();

      // A text reply that was mixed up can be the same bytes as the right one, most others cannot.
      assertThat(tally.wrong()).as(tally.toString()).isGreaterThan(server.served(fault) / 4);
    }
  }

  @Test
  void shouldSendTheSameRequestsForTheSameSeed() throws IOException {
    try (MisbehavingServer server = new MisbehavingServer(4)) {
      Duration limit = Duration.ofSeconds(30);
      Tally first = check(server, 1, 1, 1).replyLimit(limit).requests(5_000).run();
      Tally second = check(server, 1, 1, 1).replyLimit(limit).requests(5_000).run();
      Tally other = check(server, 1, 1, 1).replyLimit(limit).seed(7).requests(5_000).run();

      assertThat(second.hits()).isEqualTo(first.hits());
      assertThat(second.misses()).isEqualTo(first.misses());
      assertThat(other.hits()).isNotEqualTo(first.hits());
    }
  }

  @Test
  void shouldKeepJudgingBesideClientsThatMisbehave() throws Exception {
    try (MisbehavingServer server = new MisbehavingServer(5);
        MisbehavingClients clients = new MisbehavingClients(server.address(), 6).pauseMillis(1)) {
      for (MisbehavingClients.Kind kind : MisbehavingClients.Kind.values()) {
        clients.start(kind, 2);
      }

      Tally tally =
          check(server, 2, 2, 2).replyLimit(Duration.ofSeconds(30)).requests(30_000).run();
      boolean enough = Patience.within(Duration.ofMinutes(1), () -> clients.misdeeds() >= 20);

      assertThat(tally.wrong()).as(tally.toString()).isZero();
      assertThat(tally.errors() + tally.reconnects()).isZero();
      assertThat(enough).as("misdeeds: %d", clients.misdeeds()).isTrue();
      assertThat(clients.wrong()).isEmpty();
    }
  }
}
