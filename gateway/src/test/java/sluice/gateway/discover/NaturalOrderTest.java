package sluice.gateway.discover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NaturalOrderTest {
  @Test
  void shouldOrderAsPeopleCount() {
    List<String> ordered =
        List.of(
            "",
            "10.0.0.2:11211",
            "10.0.0.10:9",
            "10.0.0.10:11211",
            "pod",
            "pod-1",
            "pod-01.a",
            "pod-1.a",
            "pod-2",
            "pod-10",
            "pod-99999999999999999999998",
            "pod-99999999999999999999999",
            "pods");
    List<String> shuffled = new ArrayList<>(ordered);
    Collections.shuffle(shuffled, new Random(1));
    shuffled.sort(NaturalOrder::compare);
    assertThat(shuffled).isEqualTo(ordered);
    for (String one : ordered) {
      for (String other : ordered) {
        assertThat(Integer.signum(NaturalOrder.compare(one, other)))
            .isEqualTo(-Integer.signum(NaturalOrder.compare(other, one)))
            .isEqualTo(Integer.compare(ordered.indexOf(one), ordered.indexOf(other)));
      }
    }
  }
}
