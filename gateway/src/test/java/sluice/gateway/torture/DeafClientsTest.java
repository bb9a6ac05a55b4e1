package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.suite.RealMemcached;

/** Many clients ask and read nothing, all at once: they are closed together, and nobody else is. */
class DeafClientsTest {
  private static final int DEAF = 150;
  private static final int VALUE = 900_000;
  private static final Pattern CLIENTS =
      Pattern.compile("^sluice_connections\\{[^}]*} ([0-9.E]+)$", Pattern.MULTILINE);

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  /**
   * In the little memory no server connection waits for most of them: they fill it, each with what
   * it may have. In the large one each asks for more than it may have, and holds up the others.
   */
  @ParameterizedTest
  @ValueSource(strings = {"memory: 16MiB", "memory: 512MiB"})
  void shouldServeOthersSoonAndAllTheTime(String memory) throws Exception {
    RealMemcached server = closing(RealMemcached.start("-m", "64"));
    RunningGateway gateway =
        closing(
            RunningGateway.before(server.address())
                .process(memory)
                .timeout("10s")
                .limits("stall: 1s, outBuffer: 1MiB")
                .start());
    RawClient good = closing(new RawClient(gateway.address()));
    String value = "v".repeat(VALUE);
    assertThat(good.ask("set large 0 0 " + VALUE + "\r\n" + value + "\r\n")).isEqualTo("STORED");
    assertThat(good.ask("set small 0 0 1\r\nx\r\n")).isEqualTo("STORED");
    for (int i = 0; i < DEAF; i++) {
      closing(new RawClient(gateway.address(), 4096)).send("get large\r\n".repeat(4));
    }
    int answered = 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (clients(gateway) > 1) {
      assertThat(System.nanoTime() < end).as("%d are still open", clients(gateway)).isTrue();
      assertThat(read(good)).isEqualTo("VALUE small 0 1,x,END");
      answered++;
      TimeUnit.MILLISECONDS.sleep(10);
    }
    assertThat(answered).isPositive();
    assertThat(read(good)).isEqualTo("VALUE small 0 1,x,END");
  }

  private static String read(RawClient client) throws IOException {
    String first = client.ask("get small\r\n");
    return first.startsWith("VALUE") ? first + ',' + client.line() + ',' + client.line() : first;
  }

  private static int clients(RunningGateway gateway) {
    Matcher matcher = CLIENTS.matcher(gateway.gateway().scrape());
    assertThat(matcher.find()).isTrue();
    return (int) Double.parseDouble(matcher.group(1));
  }
}
