package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.model.Configuration;
import sluice.testkit.LogLines;

/** Reports of a file that was read again. */
class ReloadsTest {
  @TempDir private Path directory;

  private final Vertx vertx = Vertx.vertx();
  private final List<List<String>> reported = new CopyOnWriteArrayList<>();
  private Supplier<Future<Void>> follow = Future::succeededFuture;
  private Reloads reloads;

  private Path write(String pool) throws IOException {
    return Files.writeString(
        directory.resolve("sluice.yaml"),
        """
        listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
        routes: {cache: [{pool: main}]}
        pools:
          main: %s
        """
            .formatted(pool));
  }

  @BeforeEach
  void create() throws IOException {
    Path file = write("{protocol: embedded}");
    Reloads.Follower follower =
        new Reloads.Follower() {
          @Override
          public Future<Void> follow(Configuration configuration) {
            return follow.get();
          }

          @Override
          public void reloaded(List<String> problems) {
            reported.add(problems);
          }
        };
    reloads = new Reloads(vertx, follower, file);
  }

  @AfterEach
  void close() throws Exception {
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  private List<String> reload() throws Exception {
    return reloads.now().await(60, TimeUnit.SECONDS);
  }

  @Test
  void shouldReportWhatBecameOfTheFile() throws Exception {
    assertThat(reload()).isEmpty();
    follow = () -> Future.failedFuture("an address is taken");
    assertThat(reload()).containsExactly("an address is taken");
    assertThat(reported).containsExactly(List.of(), List.of("an address is taken"));
  }

  @Test
  void shouldReportWhereAnAddressIsWrittenThatCannotBeBound() throws Exception {
    String why = "listeners.cache.bind: cannot bind 127.0.0.1:1: permission denied";
    follow = () -> Future.failedFuture(why);
    assertThat(reload()).singleElement().asString().matches(".+:\\d+:\\d+: " + Pattern.quote(why));
    String other = "listeners.other.bind: cannot bind 127.0.0.1:1: permission denied";
    follow = () -> Future.failedFuture(other);
    assertThat(reload()).as("it is in no file").containsExactly(other);
  }

  @Test
  void shouldLogTheWarningsThatAreNew() throws Exception {
    try (LogLines log = LogLines.of("sluice.gateway.process")) {
      write("{servers: [\"h:1\"], health: {}}");
      assertThat(reload()).isEmpty();
      assertThat(log.lines()).singleElement().asString().contains("health.maxEjected", "100%");
      write("{timeout: 1s, servers: [\"h:1\"], health: {}}");
      assertThat(reload()).isEmpty();
      assertThat(log.lines()).hasSize(1);
      write("{servers: [\"h:1\", \"h:2\"], health: {}}");
      assertThat(reload()).isEmpty();
      write("{servers: [\"h:1\"], health: {}}");
      follow = () -> Future.failedFuture("an address is taken");
      assertThat(reload()).hasSize(1);
      assertThat(log.lines()).hasSize(2).last().asString().contains("an address is taken");
    }
  }

  /** A pod that drains is no reason for an alert that the file is refused. */
  @Test
  void shouldNotReportThatAGatewayThatStopsRefusesTheFile() throws Exception {
    follow =
        () -> {
          reloads.close();
          return Future.failedFuture("the gateway is not running");
        };
    assertThat(reload()).containsExactly("the gateway is not running");
    assertThat(reload()).singleElement().asString().contains("a gateway that is stopping");
    assertThat(reported).isEmpty();
  }
}
