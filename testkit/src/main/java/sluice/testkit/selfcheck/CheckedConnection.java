package sluice.testkit.selfcheck;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import sluice.testkit.Bytes;

/**
 * Connection of a check: sends runs of requests, tracks expected replies, and reconnects when
 * closed.
 */
abstract class CheckedConnection {
  /** Settings of a connection; shared parts belong to the selector's thread. */
  record Plan(
      InetSocketAddress address,
      Selector selector,
      Tally tally,
      String run,
      int connection,
      long seed,
      long requests,
      int depth,
      int largestValue,
      int largePercent,
      boolean tolerant,
      boolean classicOnly,
      boolean ignite,
      boolean cas,
      KeyState.Memory memory,
      boolean crossReads,
      boolean additions,
      boolean counters,
      String prefix,
      Acknowledgements acknowledgements,
      LongSupplier replyLimitNanos,
      long reconnectNanos) {}

  private static final int KEYS = 40;
  private static final int COUNTERS = 4;
  private static final int LONGEST_ADDITION = 100;

  /** Distance of counters from zero, where they would stop; no run counts that far. */
  private static final long LEAST_FIRST = 1_000_000_000_000L;

  /** Twice the number of requests in flight. */
  private static final int MOST_ADDED = 8192;

  private static final int READ = 64 * 1024;

  final Plan plan;
  final Tally tally;
  final Random random;
  final Bytes in = new Bytes();
  final Bytes out = new Bytes();
  final ArrayDeque<Expectation> pending = new ArrayDeque<>();

  /**
   * Choices that depend on the time of replies use a separate random generator, so that requests
   * depend on the seed alone.
   */
  private final Random cuts;

  private final KeyState[] keys = new KeyState[KEYS];
  private List<CheckedConnection> all = List.of(this);
  private final int[] generations = new int[KEYS];
  private final Counter[] counters = new Counter[COUNTERS];
  private int counterGeneration;
  private @Nullable SocketChannel channel; // null: it is not open

  @SuppressWarnings("NullAway.Init") // set by connect, before anything is written
  private SelectionKey selection;

  private boolean opened;
  private boolean done;
  private long left;
  private int refillBelow;
  private long sequence;
  private long lastProgress;
  private long retryAt = System.nanoTime();

  CheckedConnection(Plan plan) {
    this.plan = plan;
    this.tally = plan.tally();
    this.random = new Random(plan.seed());
    this.cuts = new Random(plan.seed() ^ 0x5eed);
    this.left = plan.requests();
    for (int i = 0; i < KEYS; i++) {
      renew(i);
    }
  }

  /** Appends one request, or a quiet run with its end, by {@link #expect} and {@link #out}. */
  final void request() {
    if (plan.counters() && random.nextInt(10) == 0) {
      requestNumber();
    } else {
      requestValue();
    }
  }

  /** Like {@link #request}, for an item that is no counter. */
  abstract void requestValue();

  /** Appends a request for a counter, whose kind, counter and delta are known. */
  abstract void number(Expectation request);

  /** A token that identifies a request of this dialect. */
  long newToken() {
    return nextToken();
  }

  /** Reads one reply, or a part of it, from in; false if more bytes are needed. */
  abstract boolean reply();

  /** The dialect: text, meta or binary. */
  abstract String dialect();

  /** Whether all pending requests may rightly have no reply; called at the end. */
  abstract boolean endsSilently();

  /** Whether another request may be sent before the due replies have arrived. */
  boolean mayRequest() {
    return true;
  }

  /** Forgets, with the connection, replies that could not be assigned to a request yet. */
  void forget() {}

  private void renew(int slot) {
    if (keys[slot] != null) {
      plan.acknowledgements().retired(keys[slot].key);
    }
    // Lengths differ, up to the 250 bytes that a key may have.
    String key =
        plan.prefix()
            + plan.run()
            + '-'
            + plan.connection()
            + '-'
            + slot
            + '-'
            + generations[slot]++
            + '-';
    int length = slot < KEYS - 2 ? key.length() + slot % 7 : slot == KEYS - 1 ? longestKey() : 100;
    keys[slot] =
        new KeyState(
            key + "x".repeat(length - key.length()),
            dialect(),
            !plan.tolerant() && plan.memory() == KeyState.Memory.EXACT,
            plan.memory());
  }

  /** The connections whose keys it may read, including itself. */
  final void among(List<CheckedConnection> connections) {
    all = connections;
  }

  /** Adds the possible values of the keys to all. */
  final void held(List<HeldKey> all) {
    for (KeyState key : keys) {
      all.add(new HeldKey(key));
    }
  }

  /** Replies that are due are still awaited. */
  final void askNoMore() {
    left = 0;
  }

  private void requestNumber() {
    int slot = random.nextInt(COUNTERS);
    if (counters[slot] == null || counters[slot].isWornOut()) {
      if (counters[slot] != null) {
        plan.acknowledgements().retired(counters[slot].key);
      }
      counters[slot] = newCounter();
    }
    Counter counter = counters[slot];
    Expectation.Kind kind =
        counter.begins()
            ? Expectation.Kind.CREATE
            : random.nextInt(4) == 0 ? Expectation.Kind.NUMBER : Expectation.Kind.COUNT;
    Expectation request = expect(new Expectation(kind, newToken(), false));
    request.counter = counter;
    request.delta =
        switch (kind) {
          case CREATE -> LEAST_FIRST + (random.nextLong() >>> 4);
          case COUNT -> random.nextInt(2_000_000) - 1_000_000;
          default -> 0;
        };
    number(request);
  }

  private Counter newCounter() {
    String key =
        plan.prefix() + plan.run() + '-' + plan.connection() + "-n-" + counterGeneration++ + '-';
    return new Counter(key, plan.memory() != KeyState.Memory.EXACT);
  }

  /** The longest key of this dialect in bytes. */
  int longestKey() {
    return 250;
  }

  KeyState anyKey() {
    return key(random.nextInt(KEYS));
  }

  private KeyState key(int slot) {
    if (keys[slot].isWornOut()) {
      renew(slot);
    }
    return keys[slot];
  }

  /** A key to be read, which may be another connection's. */
  KeyState readKey() {
    CheckedConnection owner = owner();
    int slot = random.nextInt(KEYS);
    return owner == this ? key(slot) : owner.witness(slot);
  }

  /** Up to most different keys to be read, which are neighbours in the table of one connection. */
  KeyState[] readKeys(int most) {
    CheckedConnection owner = owner();
    int count = 1 + random.nextInt(Math.min(most, KEYS));
    int first = random.nextInt(KEYS);
    KeyState[] some = new KeyState[count];
    for (int i = 0; i < count; i++) {
      int slot = (first + i) % KEYS;
      some[i] = owner == this ? key(slot) : owner.witness(slot);
    }
    return some;
  }

  private CheckedConnection owner() {
    return plan.crossReads() && random.nextInt(3) == 0 ? all.get(random.nextInt(all.size())) : this;
  }

  private Witness witness(int slot) {
    Witness witness = keys[slot].witness();
    for (Expectation request : pending) {
      if (request.changes(keys[slot]) && request.isAddition()) {
        witness.mayReadWith(request.write, request.mode == Expectation.Mode.PREPEND);
      } else if (request.changes(keys[slot])) {
        witness.mayRead(request.write);
      }
    }
    return witness;
  }

  /**
   * The value that a request stores, after its key and mode were set. A few of the requests that
   * get a reply append or prepend.
   */
  Write newWrite(Expectation store) {
    KeyState key = store.key();
    if (plan.additions()
        && store.mode == Expectation.Mode.SET
        && !store.quiet
        && random.nextInt(6) == 0
        && key.longest() < plan.largestValue() + MOST_ADDED / 2) {
      store.mode = random.nextBoolean() ? Expectation.Mode.APPEND : Expectation.Mode.PREPEND;
      // Not empty: an empty addition changes only the cas unique, and would not be noticed.
      int length = 1 + random.nextInt(LONGEST_ADDITION);
      Write addition = new Write(key.key, plan.connection(), ++sequence, length, false);
      key.askedToAdd(addition, store.mode == Expectation.Mode.PREPEND);
      return addition;
    }
    return newWrite(key);
  }

  /** The longest possible value. */
  final int longestValue() {
    return plan.largestValue() + (plan.additions() ? MOST_ADDED : 0);
  }

  private Write newWrite(KeyState key) {
    int kind = random.nextInt(100);
    int length =
        kind < 3
            ? 0
            : kind < 91 - plan.largePercent()
                ? random.nextInt(Math.min(200, plan.largestValue() + 1))
                : kind < 100 - plan.largePercent()
                    ? random.nextInt(Math.min(2000, plan.largestValue() + 1))
                    : random.nextInt(plan.largestValue() + 1);
    boolean ignite = plan.ignite(); // which stores no empty value
    Write write =
        new Write(
            key.key, plan.connection(), ++sequence, ignite ? Math.max(1, length) : length, ignite);
    key.asked(write);
    return write;
  }

  /** If uniques are compared, half of the conditional writes do so. */
  Expectation.Mode orCas(Expectation.Mode mode) {
    return plan.cas() && mode != Expectation.Mode.SET && random.nextBoolean()
        ? Expectation.Mode.CAS
        : mode;
  }

  long nextToken() {
    return ++sequence;
  }

  Expectation expect(Expectation expectation) {
    expectation.sent(this);
    pending.add(expectation);
    tally.sent++;
    left--;
    return expectation;
  }

  /** The reply to expectation is complete and right. */
  void answered(Expectation expectation) {
    pending.remove(expectation);
    tally.answered++;
  }

  /** The reply to expectation reports a failure, and its reason. */
  void failed(Expectation expectation, String reason) {
    tally.reason(reason);
    pending.remove(expectation);
    tally.errors++;
    tally.failedAfter(System.nanoTime() - expectation.sentNanos());
    expectation.failed();
  }

  /** True if there is nothing left to do. */
  boolean tick(long now) {
    if (done) {
      return true;
    }
    SocketChannel channel = this.channel;
    if (channel == null) {
      if (now - retryAt >= 0) {
        connect();
      }
      return false;
    }
    if (endsSilently()) {
      lastProgress = now;
      if (left <= 0 && out.isEmpty()) {
        close();
        return true;
      }
      // No reply will come that would lead to more requests: everything due is silent.
      refillBelow = Math.max(refillBelow, pending.size());
      if (channel.isConnected()) {
        try {
          refillAndWrite(channel);
        } catch (IOException e) {
          lost();
        }
      }
    }
    if (now - lastProgress > plan.replyLimitNanos().getAsLong()) {
      tally.hang(
          getClass().getSimpleName() + " connection " + plan.connection(),
          now - lastProgress,
          pending);
      lost();
    }
    return false;
  }

  private void connect() {
    try {
      lastProgress = System.nanoTime();
      SocketChannel channel = SocketChannel.open();
      this.channel = channel;
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      if (opened) {
        tally.reconnects++;
      }
      opened = true;
      boolean connected = channel.connect(plan.address());
      selection =
          channel.register(
              plan.selector(), connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
      if (connected) {
        refillAndWrite(channel);
      }
    } catch (IOException e) {
      lost();
    }
  }

  final void ready(SelectionKey key) {
    try {
      if (!key.isValid()) {
        return;
      }
      SocketChannel channel = (SocketChannel) key.channel();
      if (key.isConnectable()) {
        channel.finishConnect();
        key.interestOps(SelectionKey.OP_READ);
        refillAndWrite(channel);
      }
      if (key.isValid() && key.isReadable() && read(channel)) {
        judge();
      }
      if (this.channel != null) {
        refillAndWrite(channel);
      }
    } catch (WrongReply wrong) {
      tally.wrong(
          getClass().getSimpleName()
              + " connection "
              + plan.connection()
              + ": "
              + wrong.getMessage()
              + "; due: "
              + pending.peek()
              + "; in: "
              + in.excerpt());
      lost();
    } catch (IOException e) {
      lost();
    }
  }

  private boolean read(SocketChannel channel) throws IOException {
    in.reserve(READ);
    int count = channel.read(ByteBuffer.wrap(in.array, in.end, READ));
    if (count < 0) {
      lost();
      return false;
    }
    in.end += count;
    lastProgress = System.nanoTime();
    return true;
  }

  private void judge() {
    while (!in.isEmpty() && reply()) {
      // the next one
    }
  }

  private void refillAndWrite(SocketChannel channel) throws IOException {
    if (left > 0 && pending.size() <= refillBelow && out.length() < READ) {
      // Depth 1 and 2 are as likely as 31 and 32, and short runs as likely as long ones.
      int most = 1 + cuts.nextInt(plan.depth());
      int target = pending.size() + 1 + cuts.nextInt(most);
      while (pending.size() < target && left > 0 && mayRequest()) {
        request();
      }
      refillBelow = cuts.nextInt(most);
    }
    write(channel);
  }

  private void write(SocketChannel channel) throws IOException {
    if (!out.isEmpty()) {
      boolean cut = cuts.nextInt(8) == 0;
      int count = cut ? 1 + cuts.nextInt(out.length()) : out.length();
      out.start += channel.write(ByteBuffer.wrap(out.array, out.start, count));
    }
    selection.interestOps(
        out.isEmpty() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
  }

  /** The connection is gone: the due requests may have been carried out or not. */
  private void lost() {
    for (Expectation expectation : pending) {
      expectation.failed();
      tally.unanswered++;
    }
    closeChannel();
    done = left <= 0;
    retryAt = System.nanoTime() + plan.reconnectNanos();
  }

  final void close() {
    if (!pending.isEmpty()) {
      if (endsSilently()) {
        tally.silent += pending.size();
      } else {
        tally.unanswered += pending.size();
      }
      pending.forEach(Expectation::failed); // whether they are carried out stays unknown
    }
    closeChannel();
    done = true;
  }

  private void closeChannel() {
    pending.clear();
    in.clear();
    out.clear();
    forget();
    refillBelow = 0;
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // it was closed already
      }
      channel = null;
    }
  }
}
