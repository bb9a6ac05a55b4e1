package sluice.gateway;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Tag;
import sluice.config.model.Configuration;
import sluice.gateway.listen.StoreChannel;

/** A client that may send anything, in two reads, in front of an embedded store. */
@Tag("long") // its instrumentation would slow down every other test of the module
class RequestFuzzTest {
  private static final Configuration CONFIGURATION =
      StoreChannel.parse(
          """
          listeners:
            l:
              bind: 127.0.0.1:0
              protocol: memcached
              route: r
              allow: [flush_all, verbosity, cache_memlimit, slabs, lru_crawler, debug]
              limits: {itemSize: 64KiB}
          routes:
            r:
              - match: {prefix: "a:"}
                pool: p
                key: {strip: "a:", add: "much-longer:"}
              - pool: p
          pools:
            p: {protocol: embedded, size: 16MiB}
          """);

  @FuzzTest(maxDuration = "60s")
  void shouldAnswerAnyTextAndKeepNothing(byte[] bytes) {
    talk(bytes, false);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldAnswerAnyBinaryAndKeepNothing(byte[] bytes) {
    talk(bytes, true);
  }

  private static void talk(byte[] bytes, boolean binary) {
    try (StoreChannel channel = new StoreChannel(CONFIGURATION)) {
      channel.readCut(bytes, binary ? 0x80 : 'g');
    }
  }
}
