package sluice.gateway.metrics.export;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.registry.otlp.AggregationTemporality;
import io.micrometer.registry.otlp.OtlpHttpMetricsSender;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.config.model.OtlpConfig;
import sluice.gateway.time.Clocks;

/** Push of all metrics to a receiver of OTLP, on a thread of its own. */
public final class OtlpPush implements AutoCloseable {
  private static final String SERVICE_NAME = "service.name";

  /** More than a gateway has, so that one push is one request. */
  private static final int ALL_METERS = 1_000_000;

  private final Supplier<MetricSnapshots> source;
  private final OtlpHistograms histograms = new OtlpHistograms(Clocks::millis);
  private final OtlpSender sender;
  private final OtlpMeterRegistry registry;
  private final RegistryMeters meters;

  /**
   * Starts to push.
   *
   * @param source sums up the gateway's counters; from any thread
   */
  public OtlpPush(OtlpConfig receiver, Supplier<MetricSnapshots> source) {
    this.source = source;
    sender =
        new OtlpSender(
            new OtlpHttpMetricsSender(new OtlpHttp((int) receiver.timeoutMillis())),
            this::histograms,
            label(receiver.url()));
    Settings settings = new Settings(receiver);
    registry =
        OtlpMeterRegistry.builder(settings)
            .clock(Clock.SYSTEM)
            .threadFactory(OtlpPush::thread)
            .metricsSender(sender)
            .build();
    registry.config().meterFilter(unitsOfOpenTelemetry());
    new UptimeMetrics().bindTo(registry);
    meters = new RegistryMeters(source, registry, RegistryMeters.Histograms.NONE);
    settings.hasMeters = true;
    registry.start(OtlpPush::thread);
  }

  private static Thread thread(Runnable pushes) {
    Thread thread = new Thread(pushes, "otlp");
    thread.setDaemon(true);
    return thread;
  }

  /** The receiver without what may be secret: a user, a query. */
  private static String label(URI url) {
    return url.getScheme()
        + "://"
        + url.getHost()
        + (url.getPort() < 0 ? "" : ":" + url.getPort())
        + url.getRawPath();
  }

  private static MeterFilter unitsOfOpenTelemetry() {
    return new MeterFilter() {
      @Override
      public Meter.Id map(Meter.Id id) {
        String unit = id.getBaseUnit();
        return unit == null ? id : id.withBaseUnit(OtlpHistograms.unit(unit));
      }
    };
  }

  /** Called for each request, on the thread that pushes. */
  private List<Metric> histograms() {
    MetricSnapshots sums = source.get();
    meters.refresh(sums);
    return histograms.convert(sums);
  }

  /** Pushes once more, unless the receiver is down, and ends. Blocks for the timeout at most. */
  @Override
  public void close() {
    sender.closing();
    registry.close();
  }

  /** What Micrometer asks for. The environment may add what OpenTelemetry defines. */
  private static final class Settings implements io.micrometer.registry.otlp.OtlpConfig {
    private final OtlpConfig receiver;
    private volatile boolean hasMeters;

    Settings(OtlpConfig receiver) {
      this.receiver = receiver;
    }

    /** False until all meters are registered: the first push has them all. */
    @Override
    public boolean enabled() {
      return hasMeters;
    }

    @Override
    public @Nullable String get(String key) {
      return null;
    }

    @Override
    public String url() {
      return receiver.url().toString();
    }

    @Override
    public Duration step() {
      return Duration.ofMillis(receiver.intervalMillis());
    }

    @Override
    public int batchSize() {
      return ALL_METERS;
    }

    @Override
    public AggregationTemporality aggregationTemporality() {
      return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public Map<String, String> headers() {
      Map<String, String> all =
          new HashMap<>(io.micrometer.registry.otlp.OtlpConfig.super.headers());
      all.putAll(receiver.headers());
      return all;
    }

    @Override
    public Map<String, String> resourceAttributes() {
      Map<String, String> all = new HashMap<>(Map.of(SERVICE_NAME, "sluice"));
      all.putAll(io.micrometer.registry.otlp.OtlpConfig.super.resourceAttributes());
      all.putAll(receiver.resource());
      return all;
    }

    /** Without headers, which may be secrets. */
    @Override
    public String toString() {
      return receiver.toString();
    }
  }
}
