package sluice.gateway.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.gateway.dispatch.RequestPhase.ADMITTED;
import static sluice.gateway.dispatch.RequestPhase.PARSED;
import static sluice.gateway.dispatch.RequestPhase.ROUTED;
import static sluice.gateway.dispatch.RequestPhase.SENT;
import static sluice.gateway.dispatch.RequestPhase.WAITING;

import java.util.List;
import org.junit.jupiter.api.Test;

class RequestPhaseTest {
  private static RequestPhase after(RequestPhase... phases) {
    RequestPhase now = SENT;
    for (RequestPhase phase : phases) {
      now = now.to(phase);
    }
    return now;
  }

  @Test
  void shouldLeadFromBytesToAServer() {
    assertThat(after(PARSED, ROUTED, ADMITTED, SENT)).isEqualTo(SENT);
    assertThat(after(PARSED, ROUTED, ADMITTED, WAITING, WAITING, SENT)).isEqualTo(SENT);
    assertThat(after(PARSED, ADMITTED, SENT, PARSED)).isEqualTo(PARSED); // without a key, and anew
  }

  @Test
  void shouldEndFromAnywhere() {
    for (RequestPhase phase : List.of(PARSED, ROUTED, ADMITTED, WAITING)) {
      assertThat(phase.to(SENT)).isEqualTo(SENT);
    }
  }

  @Test
  void shouldNotBeReadOrRoutedTwice() {
    for (RequestPhase phase : List.of(PARSED, ROUTED, ADMITTED, WAITING)) {
      assertThatThrownBy(() -> phase.to(PARSED)).isInstanceOf(IllegalStateException.class);
    }
    for (RequestPhase phase : List.of(ROUTED, ADMITTED, WAITING, SENT)) {
      assertThatThrownBy(() -> phase.to(ROUTED)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void shouldNotWaitBeforeItMayBeSent() {
    for (RequestPhase phase : List.of(PARSED, ROUTED, SENT)) {
      assertThatThrownBy(() -> phase.to(WAITING)).isInstanceOf(IllegalStateException.class);
    }
  }
}
