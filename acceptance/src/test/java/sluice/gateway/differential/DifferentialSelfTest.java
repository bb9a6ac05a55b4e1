package sluice.gateway.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The differential test finds what is wrong, and nothing where all is right. */
class DifferentialSelfTest {
  private static final long SEED = 20_261_121;
  private static final int MANY = 6_000;
  private static final int FEW = 300;
  private static final int ROUNDS = 40;

  // Two memcacheds without a gateway: what differs then is a mistake of the test.
  @ParameterizedTest
  @EnumSource
  void shouldFindNoDifferenceBetweenTwoMemcacheds(Dialect dialect) throws Exception {
    try (Bench bench = new Bench(null)) {
      assertThat(bench.rounds(dialect).run(SEED, MANY)).isNull();
    }
  }

  static List<WrongProxy.Fault> faults() {
    Dialect text = Dialect.TEXT;
    Dialect meta = Dialect.META;
    Dialect binary = Dialect.BINARY;
    return List.of(
        new WrongProxy.Fault("another result", text, false, "\nNOT_FOUND\r", "\nDELETED\r"),
        new WrongProxy.Fault("a reply is lost", text, false, "\nTOUCHED\r\n", "\n"),
        new WrongProxy.Fault("a reply twice", text, false, "\nDELETED\r\n", "$0DELETED\r\n"),
        new WrongProxy.Fault(
            "two replies change places",
            text,
            false,
            "\r\n(STORED\r\n)(NOT_STORED\r\n)",
            "\r\n$2$1"),
        new WrongProxy.Fault("a byte of a value", text, false, "lazy dog", "lazy cog"),
        new WrongProxy.Fault("a hit is a miss", text, false, "VALUE \\S+ 0 1\r\n.\r\nEND", "END"),
        new WrongProxy.Fault(
            "a cas unique of another state",
            text,
            false,
            "(VALUE \\S+ \\d+ \\d+) \\d+\r",
            "$1 7\r"),
        new WrongProxy.Fault("flags", text, true, "(set \\S+) 65536 ", "$1 65537 "),
        new WrongProxy.Fault("no time to live", text, true, "(set \\S+ \\d+) 10000 ", "$1 0 "),
        new WrongProxy.Fault(
            "a silent request is lost", text, true, "\r\ndelete \\S+ noreply\r\n", "\r\n"),
        new WrongProxy.Fault("another time to live", meta, true, " T10000", " T20000"),
        new WrongProxy.Fault("a hit was no hit", meta, true, "(\r\nmg \\S+[^\r]*) u", "$1 f"),
        new WrongProxy.Fault("another's token", meta, false, " O([0-9a-z]+)", " Ox$1"),
        new WrongProxy.Fault("nothing is stale", meta, true, " I", " L"),
        new WrongProxy.Fault("a quiet request is loud", meta, true, " q\r", " Q\r"),
        new WrongProxy.Fault("another mode", meta, true, " MA", " MP"),
        new WrongProxy.Fault(
            "a quiet request is loud", binary, true, "\u0080\u0011(\0.\u0008)", "\u0080\u0001$1"),
        new WrongProxy.Fault(
            "another result",
            binary,
            false,
            "(\u0081\u0004.{4})\0\1(\0\0\0\u0009)(.{12})Not found",
            "$1\0\0\0\0\0\0$3"),
        new WrongProxy.Fault(
            "a cas unique of another state",
            binary,
            false,
            "(\u0081\u0001\0\0\0\0\0\0\0\0\0\0.{4}).{8}",
            "$1\0\0\0\0\0\0\0\7"),
        new WrongProxy.Fault(
            "no time to live",
            binary,
            true,
            "(\u0080\u0001\0.\u0008.{19}.{4})\0\0'\u0010",
            "$1\0\0\0\0"),
        new WrongProxy.Fault(
            "a key is created", binary, true, "(\u0080\5\0.\u0014.{35})\u00ff{4}", "$1\0\0\0\0"));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void shouldFindWhatAProxyDoesWrong(WrongProxy.Fault fault) throws Exception {
    try (Bench bench = new Bench(fault)) {
      Rounds rounds = bench.rounds(fault.dialect()).withoutShrinking();
      String difference = null;
      for (long seed = SEED; difference == null && seed < SEED + ROUNDS; seed++) {
        int before = bench.proxy.wrongs();
        difference = rounds.run(seed, FEW);
        assertThat(difference == null || bench.proxy.wrongs() > before)
            .as("a difference without a wrong: %s", difference)
            .isTrue();
      }
      assertThat(difference).as("after %d wrongs", bench.proxy.wrongs()).isNotNull();
    }
  }

  /** A memcached, and a second one behind a proxy. */
  private static final class Bench implements Closeable {
    private final List<WrongProxy> proxies = new ArrayList<>();
    private final WrongProxy proxy;
    private final Arena arena;

    Bench(WrongProxy.Fault fault) throws Exception {
      arena =
          Arena.behind(
              server -> {
                try {
                  proxies.add(new WrongProxy(server, fault));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
                return proxies.get(0).address();
              });
      proxy = proxies.get(0);
    }

    Rounds rounds(Dialect dialect) {
      // What has a rule, memcached does not answer alike each time.
      List<Rule> rules = Bridging.of(Pair.same(dialect));
      return new Rounds(arena, dialect, List.of())
          .only(operation -> rules.stream().noneMatch(rule -> rule.applies().test(operation)));
    }

    @Override
    public void close() throws IOException {
      proxy.close();
      arena.close();
    }
  }
}
