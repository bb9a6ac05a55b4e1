package sluice.embedded;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.ChildJvm;

/**
 * The embedded store, whose segments event loops share. Lincheck compares what several threads see
 * with what one thread would see in some order of their calls. It changes all classes of its JVM,
 * which takes long in this one.
 */
class LinearizabilityTest {
  @ParameterizedTest
  @ValueSource(classes = {EmbeddedStoreInterleavings.class})
  void shouldSeeOneOrder(Class<?> structure) throws Exception {
    ChildJvm.run(
        structure, "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+EnableDynamicAgentLoading");
  }
}
