package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.fixtures.RealMemcached;

/** Many clients ask and read nothing, all at once: they are closed together, and nobody else is. */
class DeafClientsTest extends ClosingTest {
  private static final int DEAF = 60;
  private static final int VALUE = 900_000;

  /**
   * In the little memory no server connection waits for most of them: they fill it, each with what
   * it may have. In the large one each asks for more than it may have, and holds up the others. In
   * the third case some of them fill it, and none of those holds up anybody.
   */
  @ParameterizedTest
  @CsvSource({"16, 1MiB, 12", "512, 1MiB, 12", "64, 64MiB, 12"})
  void shouldServeOthersSoonAndAllTheTime(int memory, String outBuffer, int requests)
      throws Exception {
    RealMemcached server = closing(RealMemcached.start("-m", "64"));
    RunningGateway gateway =
        closing(
            RunningGateway.before(server.address())
                .process("memory: " + memory + "MiB")
                .timeout("1m")
                .limits("stall: 500ms, outBuffer: " + outBuffer)
                .start());
    RawClient good = closing(new RawClient(gateway.address()));
    String value = "v".repeat(VALUE);
    assertThat(good.ask("set large 0 0 " + VALUE + "\r\n" + value + "\r\n")).isEqualTo("STORED");
    assertThat(good.ask("set small 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    for (int i = 0; i < DEAF; i++) {
      closing(new RawClient(gateway.address(), 4096)).send("get large\r\n".repeat(requests));
    }
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
    for (double opened = 0; opened <= DEAF; opened = metric(gateway, "sluice_connections")) {
      assertThat(System.nanoTime() < end).as("%s are open", opened).isTrue();
      TimeUnit.MILLISECONDS.sleep(10);
    }
    int answered = 0;
    while (answered < 10
        || metric(gateway, "sluice_in_flight") > 0
        || metric(gateway, "sluice_buffered_bytes") >= memory * 0.75 * 1024 * 1024) {
      assertThat(System.nanoTime() < end).as(gateway.gateway().scrape()).isTrue();
      assertThat(read(good)).isEqualTo("VALUE small 0 1,x,END");
      answered++;
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private static String read(RawClient client) throws IOException {
    String first = client.ask("get small\r\n");
    return first.startsWith("VALUE") ? first + ',' + client.line() + ',' + client.line() : first;
  }

  private static double metric(RunningGateway gateway, String name) {
    Matcher matcher =
        Pattern.compile("^" + name + "(?:\\{[^}]*})? ([0-9.E]+)$", Pattern.MULTILINE)
            .matcher(gateway.gateway().scrape());
    assertThat(matcher.find()).as(name).isTrue();
    return Double.parseDouble(matcher.group(1));
  }
}
