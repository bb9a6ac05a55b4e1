package sluice.gateway.metrics.export;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import sluice.config.model.OtlpConfig;
import sluice.gateway.metrics.EveryMetric;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;
import sluice.testkit.Patience;

@SuppressWarnings("try") // what pushes in the background is only closed
class OtlpPushTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(OtlpSender.class);

  private final GatewayMetrics metrics = new GatewayMetrics();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private OtlpReceiver receiver;

  @BeforeEach
  void start() throws Exception {
    receiver = new OtlpReceiver();
    log.start();
    log.list = new CopyOnWriteArrayList<>(); // another thread appends while the test reads
    LOGGER.addAppender(log);
  }

  @AfterEach
  void stop() {
    LOGGER.detachAppender(log);
    receiver.close();
    metrics.close();
  }

  private OtlpPush push() {
    return new OtlpPush(
        new OtlpConfig(
            receiver.url(), 250, 20_000, Map.of("Api-Key", "k"), Map.of("team", "caches")),
        metrics::collect);
  }

  private static Map<String, String> map(List<KeyValue> attributes) {
    return attributes.stream()
        .collect(
            Collectors.toMap(
                KeyValue::getKey,
                each -> each.getValue().getStringValue(),
                (a, b) -> a,
                TreeMap::new));
  }

  private List<String> logged() {
    return List.copyOf(log.list).stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }

  @Test
  void shouldSendCountersGaugesAndWholeHistograms() throws Exception {
    EveryMetric.count(metrics);
    OtlpReceiver.Push first;
    try (OtlpPush push = push()) {
      first = receiver.next();
    }
    assertThat(first.apiKey()).isEqualTo("k");
    assertThat(map(first.body().getResourceMetrics(0).getResource().getAttributesList()))
        .containsEntry("service.name", "sluice")
        .containsEntry("team", "caches");
    Map<String, Metric> sent = first.metrics();

    Metric requests = sent.get("sluice.requests");
    assertThat(requests.getSum().getIsMonotonic()).isTrue();
    assertThat(requests.getSum().getAggregationTemporality())
        .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
    NumberDataPoint point = requests.getSum().getDataPoints(0);
    assertThat(point.getAsDouble()).isOne();
    assertThat(map(point.getAttributesList()))
        .isEqualTo(Map.of("listener", "l", "command", "get", "outcome", "ok"));

    Metric memory = sent.get("sluice.memory.limit");
    assertThat(memory.getUnit()).isEqualTo("By");
    assertThat(memory.getGauge().getDataPointsList()).hasSize(4);

    Metric time = sent.get("sluice.request.time");
    assertThat(time.getUnit()).isEqualTo("s");
    assertThat(time.getDescription()).isNotEmpty();
    assertThat(time.getHistogram().getAggregationTemporality())
        .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
    HistogramDataPoint request = time.getHistogram().getDataPoints(0);
    assertThat(map(request.getAttributesList())).isEqualTo(Map.of("listener", "l"));
    assertThat(request.getCount()).isOne();
    assertThat(request.getSum()).isEqualTo(2e-6);
    assertThat(request.getExplicitBoundsCount()).isEqualTo(request.getBucketCountsCount() - 1);
    assertThat(request.getExplicitBounds(0)).isEqualTo(1.024e-6);
    assertThat(request.getBucketCounts(0)).isZero();
    assertThat(request.getBucketCounts(1)).as("2 us").isOne();
    assertThat(request.getStartTimeUnixNano())
        .isPositive()
        .isLessThanOrEqualTo(request.getTimeUnixNano());
    assertThat(sent.get("sluice.value").getUnit()).isEqualTo("By");
  }

  @Test
  void shouldSendAllMetricsOfAScrape() throws Exception {
    EveryMetric.count(metrics);
    Map<String, Metric> sent;
    try (OtlpPush push = push()) {
      sent = receiver.next().metrics();
    }
    List<String> names =
        metrics
            .scrape()
            .lines()
            .filter(line -> line.startsWith("# TYPE "))
            .map(line -> line.split(" ")[2].replaceFirst("_total$", ""))
            .map(name -> MeterName.of(name).name())
            .toList();
    assertThat(names).hasSizeGreaterThan(50);
    assertThat(sent.keySet()).containsAll(names);
  }

  @Test
  void shouldSendWhatIsNewAndForgetWhatIsGone() throws Exception {
    LoopMetrics loop = metrics.newLoop();
    loop.server("p", "old");
    try (OtlpPush push = push()) {
      receiver.next();
      loop.forgetServer("p", "old");
      loop.listener("l").request(Command.SET, Outcome.OK);
      OtlpReceiver.Push later = receiver.next();
      while (!later.metrics().containsKey("sluice.requests")
          || later.body().toString().contains("\"old\"")) {
        later = receiver.next(); // a new series waits for the next push
      }
      assertThat(later.metrics().get("sluice.requests").getSum().getDataPoints(0).getAsDouble())
          .isOne();
    }
  }

  @Test
  void shouldLogAnOutageOnceAndNotWaitForTheReceiverAtTheEnd() throws Exception {
    try (OtlpPush push = push()) {
      receiver.next();
      responds(503, 1);
      responds(200, 2);
      responds(503, 3);
    }
    assertThat(logged()).hasSize(3);
    assertThat(logged().get(0))
        .startsWith("WARN metrics.otlp: http://127.0.0.1:")
        .contains("/v1/metrics accepts no metrics: ", "503")
        .doesNotContain("in-the-query");
    assertThat(logged().get(1)).startsWith("INFO ").endsWith(" accepts metrics again");
    assertThat(logged().get(2)).startsWith("WARN ");
  }

  /** From now on. It is logged, which makes so many lines in all; further pushes log nothing. */
  private void responds(int status, int lines) throws InterruptedException {
    receiver.responds(status);
    assertThat(Patience.soon(() -> logged().size() == lines)).isTrue();
    receiver.rest(); // a busy machine takes them late
    for (int i = 0; i < 3; i++) {
      receiver.next();
    }
    assertThat(logged()).hasSize(lines);
  }

  @ParameterizedTest
  @ValueSource(ints = {302, 307})
  void shouldNotTakeARedirectForAcceptance(int status) throws Exception {
    try (OtlpPush push = push()) {
      receiver.next();
      responds(status, 1);
    }
    assertThat(logged())
        .singleElement()
        .asString()
        .contains("accepts no metrics: ", Integer.toString(status));
  }

  /** It would fill the heap, or keep the thread that pushes. */
  @Test
  void shouldPushOnAlthoughAResponseDoesNotEnd() throws Exception {
    receiver.respondsEndlessly();
    try (OtlpPush push = push()) {
      for (int i = 0; i < 3; i++) {
        receiver.next();
      }
    }
    assertThat(logged()).isEmpty();
  }

  @Test
  void shouldSayWhyAReceiverCannotBeReached() throws Exception {
    receiver.close();
    try (OtlpPush push = push()) {
      long deadline = System.nanoTime() + 60_000_000_000L;
      while (logged().isEmpty() && System.nanoTime() < deadline) {
        Thread.onSpinWait();
      }
    }
    assertThat(logged()).singleElement().asString().contains("accepts no metrics: ", "refused");
  }
}
