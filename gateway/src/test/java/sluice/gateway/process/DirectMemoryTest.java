package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.config.model.Configuration;

/** What is configured is held against what the JVM allows. */
class DirectMemoryTest {
  private static final long MIB = 1024 * 1024;
  private static final Configuration CONFIGURATION =
      Loader.parse(
              "memory.yaml",
              """
              process: {memory: 64MiB}
              listeners: {l: {bind: 127.0.0.1:0, route: r}}
              routes: {r: [{match: {prefix: a}, pool: a}, {match: {prefix: b}, pool: b}, {pool: c}]}
              pools:
                a: {protocol: embedded, size: 100MiB}
                b: {protocol: embedded, size: 28MiB}
                c: {servers: [127.0.0.1:1]}
              """)
          .configuration();

  @Test
  void shouldNameAllNumbersWhenTheyDoNotFit() {
    assertThat(DirectMemory.shortage(CONFIGURATION, 192 * MIB)).isEmpty();
    assertThat(DirectMemory.shortage(CONFIGURATION, 192 * MIB - 1))
        .hasValue(
            "embedded pools and near caches of 134217728 bytes and process.memory of 67108864 bytes"
                + " need more than the JVM's limit of 201326591 bytes (-XX:MaxDirectMemorySize)");
  }

  @Test
  void shouldKnowTheLimitOfThisJvm() {
    assertThat(DirectMemory.limitBytes()).isPositive();
  }
}
