package sluice.gateway.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counters of one event loop. One instance per loop, from {@link GatewayMetrics#newLoop}.
 *
 * <p>Only the loop's own thread writes, with stores that cost as much as plain ones: no atomics, no
 * locks, no garbage. Scraping threads read at any time. They see every value whole, though not all
 * values of the same moment.
 *
 * <p>Names are looked up once, when a listener or a server connection is set up. Per request, only
 * the objects that {@link #listener} and {@link #server} returned are called.
 */
public final class LoopMetrics {
  private static final int IN_FLIGHT = 0;
  private static final int BUFFERED_BYTES = 1;
  private static final int BYTES = 2;

  private static final int COMPRESSION = BYTES + Direction.COUNT;

  private static final int SAMPLES_DROPPED = COMPRESSION + CompressionStage.COUNT;

  private static final int REQUESTS_DROPPED = SAMPLES_DROPPED + SampleKind.COUNT;

  private static final int REQUESTS_OVERDUE = REQUESTS_DROPPED + DropReason.COUNT;

  private static final int READ_BUFFERS_EXHAUSTED = REQUESTS_OVERDUE + 1;

  private final SingleWriterCounters counters =
      new SingleWriterCounters(READ_BUFFERS_EXHAUSTED + 1);
  private final String name;
  private final TimeHistogram gatewayLatency = new TimeHistogram();
  private final TimeHistogram lag = new TimeHistogram();
  private final ValueSizes valuesRead = new ValueSizes();
  private final ValueSizes valuesWritten = new ValueSizes();
  private final Map<String, ListenerMetrics> listeners = new ConcurrentHashMap<>();
  private final Map<ServerName, ServerMetrics> servers = new ConcurrentHashMap<>();
  private final Map<String, ResultCounters<ShadowResult>> shadows = new ConcurrentHashMap<>();
  private final Map<String, ResultCounters<HedgeResult>> hedges = new ConcurrentHashMap<>();
  private final Map<RuleName, LimitMetrics> limits = new ConcurrentHashMap<>();
  private final Map<RuleName, RuleMetrics> rules = new ConcurrentHashMap<>();
  private final Map<String, NearMetrics> nears = new ConcurrentHashMap<>();
  private final Map<String, InternodeMetrics> internode = new ConcurrentHashMap<>();

  private volatile long threadId = -1;

  /** Counters of the loop of that name, which is one of a small set. */
  LoopMetrics(String name) {
    this.name = name;
  }

  /** Sets the thread that runs the loop. */
  public void ranBy(Thread thread) {
    threadId = thread.getId();
  }

  /** Records how much later than intended a task ran. */
  public void lag(long nanos) {
    lag.record(nanos);
  }

  /** Records the length of a value in a server's reply. */
  public void valueRead(int bytes) {
    valuesRead.record(bytes);
  }

  /** Records the length of a value in a client's request. */
  public void valueWritten(int bytes) {
    valuesWritten.record(bytes);
  }

  /** The counters of a listener: the same ones each time. */
  public ListenerMetrics listener(String name) {
    return listeners.computeIfAbsent(name, unused -> new ListenerMetrics(gatewayLatency));
  }

  /** The counters of an internode listener: the same ones each time. */
  public InternodeMetrics internode(String name) {
    return internode.computeIfAbsent(name, unused -> new InternodeMetrics());
  }

  /** The counters of a pool's server: the same ones each time, until it is forgotten. */
  public ServerMetrics server(String pool, String server) {
    return servers.computeIfAbsent(new ServerName(pool, server), unused -> new ServerMetrics());
  }

  /** The counters of a shadow pool: the same ones each time. */
  public ResultCounters<ShadowResult> shadow(String pool) {
    return shadows.computeIfAbsent(pool, unused -> new ResultCounters<>(ShadowResult.class));
  }

  /** The counters of the hedged reads of a pool: the same ones each time. */
  public ResultCounters<HedgeResult> hedge(String pool) {
    return hedges.computeIfAbsent(pool, unused -> new ResultCounters<>(HedgeResult.class));
  }

  /** The counters of the near caches in front of a pool: the same ones each time. */
  public NearMetrics near(String pool) {
    return nears.computeIfAbsent(pool, unused -> new NearMetrics());
  }

  /** The counters of a rule: the same ones each time. */
  public RuleMetrics rule(String route, int rule) {
    return rules.computeIfAbsent(new RuleName(route, rule), unused -> new RuleMetrics());
  }

  /** The counter of a rule's limit: the same one each time. */
  public LimitMetrics limit(String route, int rule) {
    return limits.computeIfAbsent(new RuleName(route, rule), unused -> new LimitMetrics());
  }

  /**
   * Removes the series of a server that left its pool for good. Otherwise a pool whose servers come
   * and go would make the exposition grow forever. Counts through its old handle are lost.
   */
  public void forgetServer(String pool, String server) {
    servers.remove(new ServerName(pool, server));
  }

  /** Counts bytes in a direction. */
  public void bytes(Direction direction, long amount) {
    counters.add(cell(direction), amount);
  }

  /** Counts bytes of values at a stage of compression. */
  public void compressed(CompressionStage stage, long amount) {
    counters.add(cell(stage), amount);
  }

  /** A request was sampled, and there was no room for the sample. */
  @SuppressWarnings("EnumOrdinal") // only the running process uses the ordinals
  public void sampleDropped(SampleKind kind) {
    counters.add(SAMPLES_DROPPED + kind.ordinal(), 1);
  }

  /** The number of such requests; from any thread. */
  @SuppressWarnings("EnumOrdinal")
  public long samplesDropped(SampleKind kind) {
    return counters.get(SAMPLES_DROPPED + kind.ordinal());
  }

  /** Counts requests of a client that were dropped before all of their servers had them. */
  @SuppressWarnings("EnumOrdinal") // only the running process uses the ordinals
  public void requestsDropped(DropReason reason, int requests) {
    counters.add(REQUESTS_DROPPED + reason.ordinal(), requests);
  }

  /** The number of such requests; from any thread. */
  @SuppressWarnings("EnumOrdinal")
  public long requestsDropped(DropReason reason) {
    return counters.get(REQUESTS_DROPPED + reason.ordinal());
  }

  /** Counts a request that was failed although no timeout had ended it. */
  public void requestOverdue() {
    counters.add(REQUESTS_OVERDUE, 1);
  }

  /** The number of such requests; from any thread. */
  public long requestsOverdue() {
    return counters.get(REQUESTS_OVERDUE);
  }

  /** Counts a read that found no free buffer in the loop's ring, and was begun again. */
  public void readBuffersExhausted() {
    counters.add(READ_BUFFERS_EXHAUSTED, 1);
  }

  /** The number of such reads; from any thread. */
  public long timesReadBuffersExhausted() {
    return counters.get(READ_BUFFERS_EXHAUSTED);
  }

  /** Counts a client's request that was read. */
  public void requestStarted() {
    counters.add(IN_FLIGHT, 1);
  }

  /** Counts a request that was answered, or whose client is gone. */
  public void requestEnded() {
    counters.add(IN_FLIGHT, -1);
  }

  /**
   * Adds {@code change}, which may be negative, to the bytes buffered for this loop's connections.
   */
  public void bufferedBytes(long change) {
    counters.add(BUFFERED_BYTES, change);
  }

  /** Requests in flight; from any thread. */
  public long inFlight() {
    return counters.get(IN_FLIGHT);
  }

  /** Bytes buffered for this loop's connections; from any thread. */
  public long bufferedBytes() {
    return counters.get(BUFFERED_BYTES);
  }

  /** Bytes in a direction; from any thread. */
  public long bytes(Direction direction) {
    return counters.get(cell(direction));
  }

  /** Bytes of values at this stage; from any thread. */
  public long compressed(CompressionStage stage) {
    return counters.get(cell(stage));
  }

  @SuppressWarnings("EnumOrdinal")
  private static int cell(CompressionStage stage) {
    return COMPRESSION + stage.ordinal();
  }

  @SuppressWarnings("EnumOrdinal")
  private static int cell(Direction direction) {
    return BYTES + direction.ordinal();
  }

  String name() {
    return name;
  }

  /** The id of the loop's thread; negative if it is not known. */
  long threadId() {
    return threadId;
  }

  TimeHistogram lag() {
    return lag;
  }

  ValueSizes valuesRead() {
    return valuesRead;
  }

  ValueSizes valuesWritten() {
    return valuesWritten;
  }

  TimeHistogram gatewayLatency() {
    return gatewayLatency;
  }

  Map<String, ListenerMetrics> listeners() {
    return listeners;
  }

  Map<ServerName, ServerMetrics> servers() {
    return servers;
  }

  Map<String, ResultCounters<ShadowResult>> shadows() {
    return shadows;
  }

  Map<String, ResultCounters<HedgeResult>> hedges() {
    return hedges;
  }

  Map<String, NearMetrics> nears() {
    return nears;
  }

  Map<RuleName, RuleMetrics> rules() {
    return rules;
  }

  Map<RuleName, LimitMetrics> limits() {
    return limits;
  }

  Map<String, InternodeMetrics> internode() {
    return internode;
  }
}
