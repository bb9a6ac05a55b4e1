package sluice.gateway.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Everything one event loop counts. One instance per loop, from {@link GatewayMetrics#newLoop}.
 *
 * <p>Only the loop's own thread writes, with stores that cost what plain ones cost: no atomics, no
 * locks, no garbage. Scraping threads read whenever they like and see every value whole, each a
 * little earlier or later than its neighbour.
 *
 * <p>Names are looked up once, when a listener or a server connection is set up; what is called per
 * request are methods of what {@link #listener} and {@link #server} returned.
 */
public final class LoopMetrics {
  private static final int IN_FLIGHT = 0;
  private static final int BUFFERED_BYTES = 1;
  private static final int BYTES = 2;

  private static final int COMPRESSION = BYTES + Direction.COUNT;

  private static final int SAMPLES_DROPPED = COMPRESSION + CompressionStage.COUNT;

  private static final int REQUESTS_DROPPED = SAMPLES_DROPPED + SampleKind.COUNT;

  private static final int REQUESTS_OVERDUE = REQUESTS_DROPPED + DropReason.COUNT;

  private final SingleWriterCounters counters = new SingleWriterCounters(REQUESTS_OVERDUE + 1);
  private final String name;
  private final TimeHistogram ownTime = new TimeHistogram();
  private final TimeHistogram lag = new TimeHistogram();
  private final ValueSizes valuesRead = new ValueSizes();
  private final ValueSizes valuesWritten = new ValueSizes();
  private final Map<String, ListenerMetrics> listeners = new ConcurrentHashMap<>();
  private final Map<ServerName, ServerMetrics> servers = new ConcurrentHashMap<>();
  private final Map<String, ResultCounters<ShadowResult>> shadows = new ConcurrentHashMap<>();
  private final Map<String, ResultCounters<HedgeResult>> hedges = new ConcurrentHashMap<>();
  private final Map<RuleName, LimitMetrics> limits = new ConcurrentHashMap<>();
  private final Map<String, NearMetrics> nears = new ConcurrentHashMap<>();
  private final Map<String, InternodeMetrics> internode = new ConcurrentHashMap<>();

  private volatile long threadId = -1;

  /** Of the loop of that name, which is one of a small set. */
  LoopMetrics(String name) {
    this.name = name;
  }

  /** Which thread runs the loop. */
  public void ranBy(Thread thread) {
    threadId = thread.getId();
  }

  /** A task that was to run at once ran so much later. */
  public void lag(long nanos) {
    lag.record(nanos);
  }

  /** A server's reply has a value of so many bytes. */
  public void valueRead(int bytes) {
    valuesRead.record(bytes);
  }

  /** A client's request has a value of so many bytes. */
  public void valueWritten(int bytes) {
    valuesWritten.record(bytes);
  }

  /** The counters of the listener called {@code name}: the same ones each time. */
  public ListenerMetrics listener(String name) {
    return listeners.computeIfAbsent(name, unused -> new ListenerMetrics(ownTime));
  }

  /** The counters of the internode listener called {@code name}: the same ones each time. */
  public InternodeMetrics internode(String name) {
    return internode.computeIfAbsent(name, unused -> new InternodeMetrics());
  }

  /** The counters of a pool's server: the same ones each time, until it is forgotten. */
  public ServerMetrics server(String pool, String server) {
    return servers.computeIfAbsent(new ServerName(pool, server), unused -> new ServerMetrics());
  }

  /** The counters of the pool that gets copies of requests: the same ones each time. */
  public ResultCounters<ShadowResult> shadow(String pool) {
    return shadows.computeIfAbsent(pool, unused -> new ResultCounters<>(ShadowResult.class));
  }

  /** The counters of the reads of a pool that may be sent to another: the same ones each time. */
  public ResultCounters<HedgeResult> hedge(String pool) {
    return hedges.computeIfAbsent(pool, unused -> new ResultCounters<>(HedgeResult.class));
  }

  /** The counters of the near caches in front of a pool: the same ones each time. */
  public NearMetrics near(String pool) {
    return nears.computeIfAbsent(pool, unused -> new NearMetrics());
  }

  /** The counter of the limit of a rule: the same one each time. */
  public LimitMetrics limit(String route, int rule) {
    return limits.computeIfAbsent(new RuleName(route, rule), unused -> new LimitMetrics());
  }

  /**
   * Ends the series of a server that left its pool for good, so that a pool whose servers come and
   * go does not grow the exposition for ever. What is still recorded through its old handle is
   * lost.
   */
  public void forgetServer(String pool, String server) {
    servers.remove(new ServerName(pool, server));
  }

  /** {@code amount} bytes went {@code direction}. */
  public void bytes(Direction direction, long amount) {
    counters.add(cell(direction), amount);
  }

  /** {@code amount} bytes of values are at this stage. */
  public void compressed(CompressionStage stage, long amount) {
    counters.add(cell(stage), amount);
  }

  /** A request was picked to be told of, and there was no room for it. */
  @SuppressWarnings("EnumOrdinal") // lives no longer than the process
  public void sampleDropped(SampleKind kind) {
    counters.add(SAMPLES_DROPPED + kind.ordinal(), 1);
  }

  /** How many so far; from any thread. */
  @SuppressWarnings("EnumOrdinal")
  public long samplesDropped(SampleKind kind) {
    return counters.get(SAMPLES_DROPPED + kind.ordinal());
  }

  /** So many requests of a client were dropped before their servers had them, or one at least. */
  @SuppressWarnings("EnumOrdinal") // lives no longer than the process
  public void requestsDropped(DropReason reason, int requests) {
    counters.add(REQUESTS_DROPPED + reason.ordinal(), requests);
  }

  /** How many so far; from any thread. */
  @SuppressWarnings("EnumOrdinal")
  public long requestsDropped(DropReason reason) {
    return counters.get(REQUESTS_DROPPED + reason.ordinal());
  }

  /** A request was failed that no timeout had ended. */
  public void requestOverdue() {
    counters.add(REQUESTS_OVERDUE, 1);
  }

  /** How many so far; from any thread. */
  public long requestsOverdue() {
    return counters.get(REQUESTS_OVERDUE);
  }

  /** A client's request was taken in. */
  public void requestStarted() {
    counters.add(IN_FLIGHT, 1);
  }

  /** A request that was started has its answer, or nobody left to want it. */
  public void requestEnded() {
    counters.add(IN_FLIGHT, -1);
  }

  /** The bytes held for this loop's connections grew, or with a negative {@code change} shrank. */
  public void bufferedBytes(long change) {
    counters.add(BUFFERED_BYTES, change);
  }

  /** Requests started and not ended; from any thread. */
  public long inFlight() {
    return counters.get(IN_FLIGHT);
  }

  /** Bytes held for this loop's connections now; from any thread. */
  public long bufferedBytes() {
    return counters.get(BUFFERED_BYTES);
  }

  /** Bytes that went {@code direction} so far; from any thread. */
  public long bytes(Direction direction) {
    return counters.get(cell(direction));
  }

  /** Bytes of values that were at this stage so far; from any thread. */
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

  /** Negative: not known. */
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

  TimeHistogram ownTime() {
    return ownTime;
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

  Map<RuleName, LimitMetrics> limits() {
    return limits;
  }

  Map<String, InternodeMetrics> internode() {
    return internode;
  }
}
