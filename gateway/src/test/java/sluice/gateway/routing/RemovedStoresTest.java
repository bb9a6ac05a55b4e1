package sluice.gateway.routing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.embedded.EmbeddedSession;
import sluice.embedded.EmbeddedStore;

/** Embedded stores of snapshots that were replaced. */
class RemovedStoresTest {
  private static final String CLOSED = "SERVER_ERROR embedded store is closed\r\n";

  private static Configuration configuration(String pool) {
    return Loader.parse(
            "test.yaml",
            """
            listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
            routes: {cache: [{pool: %s}]}
            pools:
              kept: {protocol: embedded, size: 4MiB}
              %s: {protocol: embedded, size: 4MiB}
            """
                .formatted(pool, pool))
        .configuration();
  }

  private static String get(EmbeddedStore store) {
    ByteBuf request = Unpooled.copiedBuffer("get k\r\n", US_ASCII);
    ByteBuf reply = Unpooled.buffer();
    new EmbeddedSession(store).text(request, 0, request.writerIndex(), reply);
    return reply.toString(US_ASCII);
  }

  @Test
  void shouldReleaseTheStoresOfRemovedPoolsOnce() {
    RoutingGraph before = RoutingGraph.of(configuration("one"), () -> null);
    EmbeddedStore kept = before.store("kept");
    EmbeddedStore one = before.store("one");
    RoutingGraph after = before.next(configuration("two"));
    List<EmbeddedStore> removed = after.replaced(before);
    assertThat(removed).containsExactly(one);
    assertThat(get(one)).isEqualTo("END\r\n"); // a request that began earlier
    after.release(removed);
    assertThat(get(one)).isEqualTo(CLOSED);
    assertThat(after.store("kept")).isSameAs(kept);
    RoutingGraph back = after.next(configuration("one"));
    assertThat(back.replaced(after)).containsExactly(after.store("two"));
    assertThat(get(back.store("one"))).isEqualTo("END\r\n");
    back.close();
    assertThat(get(kept)).isEqualTo(CLOSED);
    assertThat(get(after.store("two"))).isEqualTo(CLOSED); // although it was not yet released
    assertThat(get(back.store("one"))).isEqualTo(CLOSED);
  }

  @Test
  void shouldKeepTheStoresOfASnapshotThatIsNotReplaced() {
    RoutingGraph before = RoutingGraph.of(configuration("one"), () -> null);
    RoutingGraph after = before.next(configuration("two"));
    EmbeddedStore two = after.store("two");
    after.abandon(before);
    assertThat(get(two)).isEqualTo(CLOSED);
    assertThat(get(before.store("kept"))).isEqualTo("END\r\n");
    assertThat(get(before.store("one"))).isEqualTo("END\r\n");
    before.close();
  }
}
