package sluice.testkit.selfcheck;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Load that checks every reply. Connections of the text, meta and binary dialect send random
 * requests in runs of random depth, and compare each reply with the possible ones.
 *
 * <p>Each key is written by one connection, and values carry key, connection and sequence number.
 * With a healthy server, exactly one reply is therefore right for the connection that writes a key.
 * A connection that reads another's key ({@link #crossReads}) may also get a value that is being
 * written. A reply that says SERVER_ERROR (binary: 0x84 to 0x86) and a connection that closes are
 * counted; the value of such a request stays possible ({@link KeyState}). Anything else that is not
 * the reply is wrong.
 *
 * <p>The protocols do not show the following, so it is not checked:
 *
 * <ul>
 *   <li>classic text replies of storage, delete and touch carry neither key nor token: two
 *       neighbours' STORED can change places. Conditional writes, deletes and reads in between show
 *       it as soon as outcomes differ.
 *   <li>a classic miss is a bare END, a fence a bare MN
 *   <li>a text request with noreply fails silently: in a tolerant run its write counts as possible
 *   <li>a meta error line carries no O: behind quiet requests it may be the answer to any of them
 *   <li>in a tolerant run a write may be sent twice, so a changed cas unique proves nothing
 * </ul>
 *
 * <p>One thread, one selector. The seed decides what each connection sends; with a healthy server
 * the same seed sends the same requests.
 */
public final class SelfCheck {
  private final InetSocketAddress address;
  private int textConnections = 4;
  private int metaConnections = 4;
  private int binaryConnections = 4;
  private long requests = 100_000;
  private int depth = 32;
  private int largestValue = 4096;
  private int largePercent = 1;
  private long seed = System.nanoTime();
  private boolean tolerant;
  private boolean classicOnly;
  private boolean ignite;
  private Supplier<Duration> replyLimit = () -> Duration.ofSeconds(10);
  private Duration deadline = Duration.ofMinutes(10);
  private boolean cas;
  private KeyState.Memory memory = KeyState.Memory.EXACT;
  private boolean crossReads;
  private boolean additions;
  private boolean counters;
  private String prefix = "sc-";
  private Duration reconnectAfter = Duration.ofMillis(10);
  private Acknowledgements acknowledgements = Acknowledgements.NONE;
  private final List<HeldKey> held = new ArrayList<>();
  private volatile boolean stopping;

  private SelfCheck(InetSocketAddress address) {
    this.address = address;
  }

  /** A check of the server at address. */
  public static SelfCheck against(InetSocketAddress address) {
    return new SelfCheck(address);
  }

  /** Number of connections per dialect; default 4 each. */
  public SelfCheck connections(int text, int meta, int binary) {
    textConnections = text;
    metaConnections = meta;
    binaryConnections = binary;
    return this;
  }

  /** Total number of requests, shared evenly; default 100,000. */
  public SelfCheck requests(long count) {
    requests = count;
    return this;
  }

  /** The most requests that are pipelined; default 32. */
  public SelfCheck depth(int most) {
    depth = most;
    return this;
  }

  /** The longest value in bytes; most are far shorter. Default 4096. */
  public SelfCheck largestValue(int bytes) {
    largestValue = bytes;
    return this;
  }

  /** The seed of random choices; the default differs in each run. */
  public SelfCheck seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Faults are expected: noreply writes may be lost, writes may be sent twice. Without it, errors
   * and closed connections are also counted, and a caller that expects none asserts that.
   */
  public SelfCheck tolerant() {
    tolerant = true;
    return this;
  }

  /** Some conditional writes compare cas uniques; default none do. */
  public SelfCheck cas() {
    cas = true;
    return this;
  }

  /**
   * Permits servers to lose items, or another server to take over a key at any time. A key may then
   * be absent at any time, or have any value that was written to it.
   */
  public SelfCheck forgetful() {
    memory = KeyState.Memory.FORGETFUL;
    return this;
  }

  /**
   * Permits several servers for each key, or a cache in front of them. After a failed write, a read
   * may also get the value from before it, until a set or a delete is acknowledged. Cas uniques are
   * not compared with earlier ones.
   */
  public SelfCheck lingering() {
    memory = KeyState.Memory.LINGERING;
    return this;
  }

  /**
   * A third of the reads are for keys of any connection of this check. They must get the value that
   * the key had when they were sent, according to all replies until then, or a value that was being
   * written then or later.
   */
  public SelfCheck crossReads() {
    crossReads = true;
    return this;
  }

  /** Some writes append and prepend; default none do. Not together with {@link #forgetful}. */
  public SelfCheck additions() {
    additions = true;
    return this;
  }

  /**
   * Some requests count numbers up and down, which no two of them make the same; default none do.
   * Not beside {@link #forgetful} or {@link #ignite}.
   */
  public SelfCheck counters() {
    counters = true;
    return this;
  }

  /** Percentage of values that have any length up to the longest; default 1. */
  public SelfCheck largePercent(int percent) {
    largePercent = percent;
    return this;
  }

  /** Prefix of keys, three bytes that end with {@code -}; default {@code sc-}. */
  public SelfCheck prefix(String start) {
    prefix = start;
    return this;
  }

  /** Delay before a closed connection is opened again; default 10 ms. */
  public SelfCheck reconnectAfter(Duration pause) {
    reconnectAfter = pause;
    return this;
  }

  /** The receiver of writes that succeeded; default none. */
  public SelfCheck tell(Acknowledgements listener) {
    acknowledgements = listener;
    return this;
  }

  /** From any thread: stops sending; {@link #run} returns when all due replies have arrived. */
  public void stop() {
    stopping = true;
  }

  /** The possible values of the keys in use, once {@link #run} has returned. */
  public List<HeldKey> held() {
    return List.copyOf(held);
  }

  /** Text connections send no {@code mn}, which proxies of the classic protocol do not know. */
  public SelfCheck classicOnly() {
    classicOnly = true;
    return this;
  }

  /**
   * Whether the servers are Ignite nodes. Values then have a type as flags and at least one byte,
   * and text and binary connections request no cas and touch nothing. There must be no meta
   * connections. Default false.
   */
  public SelfCheck ignite(boolean value) {
    ignite = value;
    return this;
  }

  /** How long a due reply may take before the connection counts as hung; default 10 s. */
  public SelfCheck replyLimit(Duration limit) {
    return replyLimit(() -> limit);
  }

  /** The same, with a limit that may grow: it is read whenever a reply is due. */
  public SelfCheck replyLimit(Supplier<Duration> limit) {
    replyLimit = limit;
    return this;
  }

  /** Time after which the run ends, even if requests are left; default 10 minutes. */
  public SelfCheck deadline(Duration limit) {
    deadline = limit;
    return this;
  }

  /** The seed of this run, to be printed. */
  public long seed() {
    return seed;
  }

  /** Runs on the calling thread until all requests are answered or the deadline is over. */
  public Tally run() throws IOException {
    Tally tally = new Tally();
    long begin = System.nanoTime();
    try (Selector selector = Selector.open()) {
      List<CheckedConnection> connections = new ArrayList<>();
      int count = textConnections + metaConnections + binaryConnections;
      // Keys of an earlier run against the same server must not exist, even with the same seed.
      String run = Long.toString(System.currentTimeMillis() & 0xffffffffL, 36);
      for (int i = 0; i < count; i++) {
        long share = requests * (i + 1) / count - requests * i / count;
        CheckedConnection.Plan plan =
            new CheckedConnection.Plan(
                address,
                selector,
                tally,
                run,
                i,
                seed + i,
                share,
                depth,
                largestValue,
                largePercent,
                tolerant,
                classicOnly,
                ignite,
                cas,
                memory,
                crossReads,
                additions,
                counters,
                prefix,
                acknowledgements,
                () -> replyLimit.get().toNanos(),
                reconnectAfter.toNanos());
        connections.add(
            i < textConnections
                ? new TextChecker(plan)
                : i < textConnections + metaConnections
                    ? new MetaChecker(plan)
                    : new BinaryChecker(plan));
      }
      connections.forEach(connection -> connection.among(connections));
      try {
        loop(selector, connections, begin + deadline.toNanos());
      } finally {
        connections.forEach(CheckedConnection::close);
        connections.forEach(connection -> connection.held(held));
      }
    }
    tally.seconds = (System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1);
    return tally;
  }

  private void loop(Selector selector, List<CheckedConnection> connections, long end)
      throws IOException {
    List<CheckedConnection> open = new ArrayList<>(connections);
    long nextTick = System.nanoTime();
    while (!open.isEmpty()) {
      long now = System.nanoTime();
      if (now - end >= 0) {
        return;
      }
      if (now - nextTick >= 0) {
        if (stopping) {
          open.forEach(CheckedConnection::askNoMore);
        }
        open.removeIf(connection -> connection.tick(now));
        nextTick = now + TimeUnit.MILLISECONDS.toNanos(5);
      }
      selector.select(5);
      for (SelectionKey key : selector.selectedKeys()) {
        ((CheckedConnection) key.attachment()).ready(key);
      }
      selector.selectedKeys().clear();
    }
  }
}
