package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class NodeTlsTest {
  @Test
  void shouldHaveAllCombinationsAndMostlyNone() {
    Set<String> combinations = new TreeSet<>();
    int none = 0;
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 300; i++) {
      NodeTls tls = new NodeTls(random);
      String both = tls.isOfListener(1) + " " + tls.isOfNode(1);
      combinations.add(both + ", " + tls.isOfListener(2) + " " + tls.isOfNode(2));
      none += both.equals("false false") ? 1 : 0;
    }
    assertThat(combinations).hasSize(1 + 3 * 4);
    assertThat(none).isBetween(170, 230);
  }

  @Test
  void shouldPresentACertificateToNodesThatVerifyIt() {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 300; i++) {
      NodeTls tls = new NodeTls(random);
      String pool = tls.ofPool(1, random);
      assertThat(pool.isEmpty()).isEqualTo(!tls.isOfNode(1));
      if (tls.isOfNode(1) && tls.isMutual()) {
        assertThat(pool).contains("certificate: ");
      }
      assertThat(tls.ofListener(2, random).isEmpty()).isEqualTo(!tls.isOfListener(2));
    }
  }
}
