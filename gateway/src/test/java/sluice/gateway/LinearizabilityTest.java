package sluice.gateway;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.loop.MailboxInterleavings;
import sluice.gateway.loop.MemoryShareInterleavings;
import sluice.gateway.near.NearCacheInterleavings;
import sluice.gateway.route.RateLimitInterleavings;
import sluice.testkit.ChildJvm;

/**
 * Structures that event loops share. Lincheck compares what several threads see with what one
 * thread would see in some order of their calls. It changes all classes of its JVM, which takes
 * long in this one.
 */
class LinearizabilityTest {
  @ParameterizedTest
  @ValueSource(
      classes = {
        MailboxInterleavings.class,
        MemoryShareInterleavings.class,
        NearCacheInterleavings.class,
        RateLimitInterleavings.class
      })
  void shouldSeeOneOrder(Class<?> structure) throws Exception {
    ChildJvm.run(
        structure, "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+EnableDynamicAgentLoading");
  }
}
