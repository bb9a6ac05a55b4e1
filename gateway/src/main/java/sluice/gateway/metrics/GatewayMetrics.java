package sluice.gateway.metrics;

import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
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

/**
 * The process's metrics: the registry that Vert.x's own meters go to, and the sums of what the
 * event loops counted, made when somebody scrapes.
 *
 * <p>Thread safe. One instance per process.
 */
public final class GatewayMetrics {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final List<LoopMetrics> loops = new CopyOnWriteArrayList<>();
  private final AtomicInteger loopNames = new AtomicInteger();
  private final AtomicLong bufferLimit = new AtomicLong();
  private final LongAdder[] reloads = new LongAdder[ReloadResult.values().length];
  private final Map<DiscoveryName, LongAdder> discoveries = new ConcurrentHashMap<>();
  private volatile Supplier<Map<ServerName, ServerCondition>> serverStates = Map::of;

  /** Metrics of a process that has counted nothing yet. */
  public GatewayMetrics() {
    this(System::nanoTime);
  }

  GatewayMetrics(LongSupplier nanoClock) {
    for (int i = 0; i < reloads.length; i++) {
      reloads[i] = new LongAdder();
    }
    registry
        .getPrometheusRegistry()
        .register(
            new LoopsCollector(
                loops,
                this::reloads,
                discoveries,
                () -> serverStates.get(),
                bufferLimit::get,
                nanoClock));
    new UptimeMetrics().bindTo(registry);
    registry.getPrometheusRegistry().register(new QuotaCollector());
  }

  /** The registry to give to Vert.x's {@code MicrometerMetricsFactory}. */
  public PrometheusMeterRegistry registry() {
    return registry;
  }

  /** Counters for one more event loop; what it counts is part of every sum from now on. */
  public LoopMetrics newLoop() {
    LoopMetrics loop = new LoopMetrics(Integer.toString(loopNames.getAndIncrement()));
    loops.add(loop);
    return loop;
  }

  /**
   * Where {@code sluice_server_state} comes from.
   *
   * @param states asked at each scrape, on the scraping thread: every server of every pool, and
   *     whether it takes requests
   */
  public void serverStates(Supplier<Map<ServerName, ServerCondition>> states) {
    serverStates = states;
  }

  /** How many bytes may be buffered for all connections together. */
  public void bufferLimit(long bytes) {
    bufferLimit.set(bytes);
  }

  /** A changed configuration file was looked at. */
  @SuppressWarnings("EnumOrdinal")
  public void reloaded(ReloadResult result) {
    reloads[result.ordinal()].increment();
  }

  @SuppressWarnings("EnumOrdinal")
  long reloads(ReloadResult result) {
    return reloads[result.ordinal()].sum();
  }

  /** The servers of a pool were asked for. */
  public void discovered(String pool, DiscoveryResult result) {
    discoveries
        .computeIfAbsent(new DiscoveryName(pool, result), key -> new LongAdder())
        .increment();
  }

  /** What all loops together count of all memcached listeners. */
  public long ofListeners(ToLongFunction<ListenerMetrics> what) {
    return loops.stream().flatMap(loop -> loop.listeners().values().stream()).mapToLong(what).sum();
  }

  /** Bytes that went {@code direction} on all loops together. */
  public long bytes(Direction direction) {
    return loops.stream().mapToLong(loop -> loop.bytes(direction)).sum();
  }

  /** Requests that all loops together started and have not ended. */
  public long inFlight() {
    return loops.stream().mapToLong(LoopMetrics::inFlight).sum();
  }

  /** Requests that were picked on all loops together, and for which there was no room. */
  public long samplesDropped(SampleKind kind) {
    return loops.stream().mapToLong(loop -> loop.samplesDropped(kind)).sum();
  }

  /** Links of an internode listener that are open on all loops together. */
  public long links(String listener, LinkType type) {
    return loops.stream().mapToLong(loop -> loop.internode(listener).links(type)).sum();
  }

  /** Bytes that all loops together hold for their connections. */
  public long bufferedBytes() {
    return loops.stream().mapToLong(LoopMetrics::bufferedBytes).sum();
  }

  /** Everything, as Prometheus reads it (text format 0.0.4). May take a millisecond or two. */
  public String scrape() {
    return registry.scrape();
  }

  /** Lets go of the registry; nothing is to be scraped afterwards. */
  public void close() {
    registry.close();
  }
}
