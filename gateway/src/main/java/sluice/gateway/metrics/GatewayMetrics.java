package sluice.gateway.metrics;

import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import sluice.gateway.time.Clocks;

/**
 * Metrics of the process: the registry that Vert.x's own meters use, and the sums over the event
 * loops' counters, computed for each scrape.
 *
 * <p>Thread safe. One instance per process.
 */
public final class GatewayMetrics {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final List<LoopMetrics> loops = new CopyOnWriteArrayList<>();
  private final AtomicInteger loopNames = new AtomicInteger();
  private final AtomicLong bufferLimit = new AtomicLong();
  private final AtomicLong requestLimit = new AtomicLong();
  private final List<MultiCollector> collectors;
  private final LongAdder[] reloads = new LongAdder[ReloadResult.values().length];
  private final Map<DiscoveryName, LongAdder> discoveries = new ConcurrentHashMap<>();
  private volatile Supplier<Map<ServerName, ServerCondition>> serverStates = Map::of;
  private volatile LongSupplier requestBytes = () -> 0;

  /** Metrics of a process, all counters at 0. */
  public GatewayMetrics() {
    this(Clocks::nanos);
  }

  GatewayMetrics(LongSupplier nanoClock) {
    for (int i = 0; i < reloads.length; i++) {
      reloads[i] = new LongAdder();
    }
    collectors =
        List.of(
            new LoopsCollector(
                loops,
                this::reloads,
                discoveries,
                () -> serverStates.get(),
                bufferLimit::get,
                () -> requestBytes.getAsLong(),
                requestLimit::get,
                nanoClock),
            new QuotaCollector());
    collectors.forEach(registry.getPrometheusRegistry()::register);
    new UptimeMetrics().bindTo(registry);
  }

  /** Intervals of all loops' counters; the first begins now. */
  public Intervals intervals() {
    return new Intervals(loops, Clocks::nanos);
  }

  /** The registry to give to Vert.x's {@code MicrometerMetricsFactory}. */
  public PrometheusMeterRegistry registry() {
    return registry;
  }

  /** Counters for one more event loop, which are included in every sum from now on. */
  public LoopMetrics newLoop() {
    LoopMetrics loop = new LoopMetrics(Integer.toString(loopNames.getAndIncrement()));
    loops.add(loop);
    return loop;
  }

  /**
   * Sets the source of {@code sluice_server_state}.
   *
   * @param states called at each scrape, on the scraping thread: every server of every pool, and
   *     whether it takes requests
   */
  public void serverStates(Supplier<Map<ServerName, ServerCondition>> states) {
    serverStates = states;
  }

  /** Sets how many bytes may be buffered for all connections together. */
  public void bufferLimit(long bytes) {
    bufferLimit.set(bytes);
  }

  /**
   * Sets the heap that requests in flight take, and objects that are kept for the next ones.
   *
   * @param used called at each scrape, on the scraping thread
   * @param limitBytes what they may take together
   */
  public void requestMemory(LongSupplier used, long limitBytes) {
    requestBytes = used;
    requestLimit.set(limitBytes);
  }

  /** Counts a changed configuration file. */
  @SuppressWarnings("EnumOrdinal")
  public void reloaded(ReloadResult result) {
    reloads[result.ordinal()].increment();
  }

  @SuppressWarnings("EnumOrdinal")
  long reloads(ReloadResult result) {
    return reloads[result.ordinal()].sum();
  }

  /** Counts a query for the servers of a pool. */
  public void discovered(String pool, DiscoveryResult result) {
    discoveries
        .computeIfAbsent(new DiscoveryName(pool, result), key -> new LongAdder())
        .increment();
  }

  /** The sum of a number over all loops and memcached listeners. */
  public long ofListeners(ToLongFunction<ListenerMetrics> what) {
    return loops.stream().flatMap(loop -> loop.listeners().values().stream()).mapToLong(what).sum();
  }

  /** Bytes in that direction on all loops together. */
  public long bytes(Direction direction) {
    return loops.stream().mapToLong(loop -> loop.bytes(direction)).sum();
  }

  /** Requests in flight on all loops together. */
  public long inFlight() {
    return loops.stream().mapToLong(LoopMetrics::inFlight).sum();
  }

  /** Requests that were sampled on all loops together and dropped because the queue was full. */
  public long samplesDropped(SampleKind kind) {
    return loops.stream().mapToLong(loop -> loop.samplesDropped(kind)).sum();
  }

  /** Open links of an internode listener on all loops together. */
  public long links(String listener, LinkType type) {
    return loops.stream().mapToLong(loop -> loop.internode(listener).links(type)).sum();
  }

  /** Bytes buffered on all loops together. */
  public long bufferedBytes() {
    return loops.stream().mapToLong(LoopMetrics::bufferedBytes).sum();
  }

  /** The sums of all counters now; from any thread. May take a millisecond or two. */
  public MetricSnapshots collect() {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    collectors.forEach(each -> each.collect().forEach(all::metricSnapshot));
    return all.build();
  }

  /** All metrics in Prometheus' text format 0.0.4. May take a millisecond or two. */
  public String scrape() {
    return registry.scrape();
  }

  /** Closes the registry; no scrape may follow. */
  public void close() {
    registry.close();
  }
}
