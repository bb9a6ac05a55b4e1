package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.system.Simulator;

class ExcusesTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final String TIMED_OUT = "SERVER_ERROR server 10.2.0.1:11211 timed out";

  private final Simulator simulator = new Simulator(1);
  private final Excuses excuses = new Excuses(simulator);

  @Test
  void shouldExcuseAnErrorThatNamesTheServerOfAFault() {
    excuses.fault("10.2.0.1", SECOND);
    assertThat(excuses.allow(TIMED_OUT, "10.0.0.1")).isTrue();
    assertThat(excuses.allow("SERVER_ERROR server 10.2.0.2:11211 timed out", "10.0.0.1")).isFalse();
    assertThat(excuses.allow("SERVER_ERROR no server is there", "10.0.0.1")).isTrue();
    assertThat(excuses.isOf("10.0.0.1")).isFalse();
  }

  @Test
  void shouldExcuseWhatClientsOfAPausedGatewayAreTold() {
    excuses.fault("10.0.0.1", SECOND);
    assertThat(excuses.allow(TIMED_OUT, "10.0.0.1")).isTrue();
    assertThat(excuses.allow(TIMED_OUT, "10.0.0.2")).isFalse();
  }

  @Test
  void shouldExcuseWhatClientsOfBothGatewaysAreToldIfOneIsBehindTheOther() {
    excuses.chain();
    excuses.fault("10.0.0.1", SECOND);
    assertThat(excuses.allow(TIMED_OUT, "10.0.0.2")).isTrue();
  }

  @Test
  void shouldExcuseARequestThatTimesOutBehindAFloodOfReplies() {
    simulator.run(10 * SECOND);
    excuses.floodBegins("10.0.0.1");
    assertThat(excuses.allow(TIMED_OUT, "10.0.0.1")).isTrue();
    assertThat(excuses.allow(TIMED_OUT, "10.0.0.2")).isFalse();
    assertThat(excuses.allow("SERVER_ERROR server 10.2.0.1:11211 closed", "10.0.0.1")).isFalse();
    excuses.floodEnds("10.0.0.1");
    simulator.run(6 * SECOND);
    assertThat(excuses.allow(TIMED_OUT, "10.0.0.1")).isFalse();
  }

  @Test
  void shouldAllowALieOfTheServerThatTellsThem() {
    excuses.lies("10.2.0.1", SECOND);
    assertThat(excuses.allowLie("server 10.2.0.1:11211 broke the protocol")).isTrue();
    assertThat(excuses.allowLie("server 10.2.0.2:11211 broke the protocol")).isFalse();
    assertThat(
            excuses.allowLie(
                "server 10.0.0.1:11211 broke the protocol: found SERVER_ERROR server 10.2.0.2:1 x"))
        .isTrue();
    assertThat(excuses.allowLie("server 10.2.0.2:11211 is unreachable")).isTrue();
    simulator.run(22 * SECOND);
    assertThat(excuses.allowLie("server 10.2.0.1:11211 broke the protocol")).isFalse();
  }
}
