package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.IgniteRequest.Change;
import sluice.perf.simulation.OrderedKey.Item;
import sluice.testkit.Opcode;

/** Requests of a client that speaks Ignite's dialect, to keys of its own. */
final class IgniteRequests {
  private static final int KEYS = 5;
  private static final int COUNTERS = 2;
  private static final int TYPES = 4; // bytes of those of key and value
  private static final int TYPES_AND_EXPIRY = 8;
  private static final int OF_COUNT = 20;
  private static final int STRING = 0;
  private static final int BYTES = 0x0800; // type of an array
  private static final int INTEGER = 0x0200;
  private static final int OBJECT = 1;
  private static final String NOT_UTF_8 = "\u00ff\u00fe";
  private static final int MOST_KEY = 250;

  /** Two days, in milliseconds: the time of day jumps by hours. */
  private static final int LEAST_EXPIRY = 2 * 24 * 60 * 60 * 1_000;

  private static final int[] GETS = {Opcode.GET, Opcode.GETQ, Opcode.GETK, Opcode.GETKQ};
  private static final int[] STORES = {
    Opcode.SET, Opcode.SET, Opcode.SETQ, Opcode.ADD, Opcode.ADDQ, Opcode.REPLACE, Opcode.REPLACEQ
  };

  private final World world;
  private final RandomGenerator random;
  private final String prefix;
  private final List<Rule> rules;
  private final boolean counts; // memcached servers can create counters
  private final boolean nodesCount;
  private final List<OrderedKey> keys = new ArrayList<>();
  private final List<OrderedKey> counters = new ArrayList<>();
  private String limited = ""; // what keys begin with whose rule has a limit; empty: no rule has
  private @Nullable OrderedKey limitedKey;
  private int keyNumber;

  /** Requests to keys that begin with prefix, behind that of a rule. */
  IgniteRequests(World world, Scenario scenario, String prefix, RandomGenerator random) {
    this.world = world;
    this.random = random;
    this.prefix = prefix;
    rules = scenario.rules().stream().filter(IgniteListener::uses).toList();
    counts = !scenario.dialect().equals("text");
    nodesCount = scenario.doNodesCount();
    while (keys.size() < KEYS) {
      keys.add(fresh());
    }
    for (Limit limit : scenario.limits()) {
      if (limit.route().equals(Limit.ITEMS)) {
        limited = limit.prefix() + prefix;
      }
    }
    while (counters.size() < COUNTERS) {
      counters.add(freshCounter());
    }
  }

  private OrderedKey fresh() {
    return fresh(random.nextInt(3) > 0 ? 0 : random.nextInt(LEAST_EXPIRY, Integer.MAX_VALUE));
  }

  private OrderedKey fresh(int expiryMillis) {
    Rule rule = rules.get(random.nextInt(rules.size()));
    OrderedKey key = new OrderedKey(world, rule, nextName());
    key.lives(expiryMillis);
    return key;
  }

  private String nextName() {
    return prefix + ":k" + ++keyNumber;
  }

  // A counter is created with the flags 0 each time that a server has lost it.
  private OrderedKey freshCounter() {
    boolean ofNode = nodesCount && rules.contains(Rule.IGNITE) && random.nextInt(3) == 0;
    OrderedKey key = ofNode ? new OrderedKey(world, Rule.IGNITE, nextName()) : fresh(0);
    key.repeats();
    return key;
  }

  private OrderedKey key() {
    int at = random.nextInt(keys.size());
    if (keys.get(at).isWorn() || random.nextInt(60) == 0) {
      keys.set(at, fresh());
    }
    return keys.get(at);
  }

  /** A key whose rule has a limit; any other in a scenario without one. */
  private OrderedKey limitedKey() {
    if (limited.isEmpty()) {
      return key();
    }
    if (limitedKey == null || limitedKey.isWorn()) {
      limitedKey = new OrderedKey(world, Rule.PLAIN, limited + ":k" + ++keyNumber);
    }
    return limitedKey;
  }

  private OrderedKey counter() {
    int at = random.nextInt(counters.size());
    if (counters.get(at).isWorn() || random.nextInt(4) == 0) {
      counters.set(at, freshCounter());
    }
    return counters.get(at);
  }

  /** Any request. */
  IgniteRequest next() {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3 -> get(key());
      case 4, 5, 6, 7, 8 -> store(key());
      case 9 -> remove(key());
      case 10, 11 -> concatenate(key());
      case 12 -> count(counter());
      case 13 -> random.nextBoolean() ? count(counter()) : getCounter();
      case 14 -> withoutKey();
      case 15, 16 -> get(limitedKey());
      case 17, 18 -> store(limitedKey());
      default -> refused();
    };
  }

  /** A change that shows if it is carried out twice. */
  IgniteRequest nextChange() {
    return random.nextInt(3) > 0 ? count(counter()) : concatenate(key());
  }

  private int one(int... opcodes) {
    return opcodes[random.nextInt(opcodes.length)];
  }

  private byte[] packet(int opcode, byte[] extras, String key, String value) {
    return BinaryReply.request(opcode, extras, key, value, (int) random.nextLong());
  }

  /** Extras of that many bytes, which begin with types, and may name the only cache there is. */
  private byte[] extras(int length, int types) {
    String cache = random.nextInt(6) == 0 ? "default" : "";
    ByteBuffer extras = ByteBuffer.allocate(length + cache.length()).putInt(types);
    return extras.position(length).put(cache.getBytes(ISO_8859_1)).array();
  }

  private IgniteRequest get(OrderedKey key) {
    byte[] extras = random.nextInt(3) == 0 ? extras(TYPES, 0) : new byte[0];
    return IgniteRequest.get(packet(one(GETS), extras, key.name(), ""), key);
  }

  // A node's counter is no item.
  private IgniteRequest getCounter() {
    OrderedKey counter = counter();
    return counter.rule() == Rule.IGNITE ? count(counter) : get(counter);
  }

  private int length() {
    return switch (random.nextInt(40)) {
      case 0 -> random.nextInt(10) == 0 ? random.nextInt(70_000, 200_000) : 9_000;
      case 1, 2 -> random.nextInt(1_000, 9_000);
      default -> random.nextInt(10, 300);
    };
  }

  private IgniteRequest store(OrderedKey key) {
    int opcode = one(STORES);
    String value = key.next(length());
    int types = (int) key.flags();
    if (key.rule() == Rule.IGNITE) {
      return storeTyped(opcode, key, value);
    }
    if (random.nextInt(10) == 0) {
      value += NOT_UTF_8;
    }
    return store(opcode, key, value, types, new Item(value, key.flags()));
  }

  private IgniteRequest store(
      int opcode, OrderedKey key, String value, int types, @Nullable Item item) {
    byte[] extras = extras(TYPES_AND_EXPIRY, types);
    ByteBuffer.wrap(extras).putInt(TYPES, key.expiryMillis());
    byte[] packet = packet(opcode, extras, key.name(), value);
    int loud = Opcode.loud(opcode);
    return IgniteRequest.change(
        packet,
        key,
        held -> {
          boolean stores = loud == Opcode.SET || (held == null) == (loud == Opcode.ADD);
          return stores && item != null ? Change.to(item) : Change.none(held);
        },
        false);
  }

  // Nodes keep types, not flags: what they could not return is refused.
  private IgniteRequest storeTyped(int opcode, OrderedKey key, String value) {
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> store(opcode, key, value, 0, new Item(value, 0));
      case 3 -> {
        String binary = value + NOT_UTF_8;
        yield store(opcode, key, binary, 0, new Item(binary, BYTES));
      }
      case 4 -> {
        String number =
            new String(ByteBuffer.allocate(4).putInt(random.nextInt()).array(), ISO_8859_1);
        yield store(opcode, key, number, INTEGER, new Item(number, INTEGER));
      }
      case 5 -> {
        int types = one(OBJECT, INTEGER, BYTES << Short.SIZE, BYTES | 2);
        yield store(opcode, key, value, types, null);
      }
      default -> store(opcode, key, value, BYTES, new Item(value, BYTES));
    };
  }

  private IgniteRequest remove(OrderedKey key) {
    byte[] packet = packet(one(Opcode.DELETE, Opcode.DELETEQ), new byte[0], key.name(), "");
    return IgniteRequest.change(
        packet, key, held -> held == null ? Change.none(null) : Change.to(null), false);
  }

  private IgniteRequest concatenate(OrderedKey key) {
    boolean front = random.nextBoolean();
    int opcode = front ? one(Opcode.PREPEND, Opcode.PREPENDQ) : one(Opcode.APPEND, Opcode.APPENDQ);
    String text = "[" + random.nextInt(1_000_000) + "]";
    byte[] extras = random.nextBoolean() ? extras(TYPES, 0) : new byte[0];
    return IgniteRequest.change(
        packet(opcode, extras, key.name(), text),
        key,
        held -> {
          if (held == null || (key.rule() == Rule.IGNITE && held.flags() != STRING)) {
            return Change.none(held);
          }
          String value = front ? text + held.value() : held.value() + text;
          return Change.to(new Item(value, held.flags()));
        },
        false);
  }

  private IgniteRequest count(OrderedKey key) {
    boolean up = random.nextInt(3) > 0;
    boolean quiet = random.nextInt(4) == 0;
    int opcode =
        up
            ? quiet ? Opcode.INCREMENTQ : Opcode.INCREMENT
            : quiet ? Opcode.DECREMENTQ : Opcode.DECREMENT;
    long delta = random.nextInt(10) == 0 ? random.nextLong(1L << 40) : random.nextInt(1, 100);
    long initial = random.nextInt(200);
    byte[] extras = ByteBuffer.allocate(OF_COUNT).putLong(delta).putLong(initial).array();
    boolean node = key.rule() == Rule.IGNITE;
    return IgniteRequest.change(
        packet(opcode, extras, key.name(), ""),
        key,
        held ->
            (node ? nodesCount : counts)
                ? Change.to(new Item(counted(held, initial, up ? delta : -delta, node), 0))
                : Change.none(held),
        !quiet);
  }

  // Only a node's number can be below 0, and not the first one. It is told without a sign.
  private static String counted(@Nullable Item held, long initial, long change, boolean node) {
    long after = (held == null ? initial : Long.parseUnsignedLong(held.value())) + change;
    return Long.toUnsignedString(node && held != null ? after : Math.max(0, after));
  }

  private IgniteRequest withoutKey() {
    boolean version = random.nextInt(4) == 0;
    int opcode = version ? Opcode.VERSION : Opcode.NOOP;
    return IgniteRequest.withoutKey(packet(opcode, new byte[0], "", ""), version);
  }

  // Requests that no server gets.
  private IgniteRequest refused() {
    OrderedKey key = key();
    String value = "refused";
    byte[] stores = new byte[TYPES_AND_EXPIRY];
    return switch (random.nextInt(5)) {
      case 0 -> IgniteRequest.refused(packet(Opcode.SET, stores, key.name(), "")); // no value
      case 1 -> {
        String name = key.name() + "x".repeat(MOST_KEY + 1 - key.name().length());
        yield IgniteRequest.refused(packet(Opcode.SET, stores, name, value));
      }
      case 2 -> IgniteRequest.refused(packet(Opcode.DELETE, new byte[0], "", ""));
      case 3 -> {
        byte[] other = "\0\0\0\0\0\0\0\0other".getBytes(ISO_8859_1);
        yield IgniteRequest.refused(packet(Opcode.SET, other, key.name(), value));
      }
      default -> IgniteRequest.refused(packet(Opcode.FLUSH, new byte[0], "", "")); // not allowed
    };
  }

  /** What a node closes the connection for, without a reply. */
  byte[] closing() {
    String name = key().name();
    return random.nextBoolean()
        ? packet(Opcode.TOUCH, new byte[TYPES], name, "")
        : packet(Opcode.SET, new byte[TYPES], name, "never");
  }

  /** A quit, quiet or not. */
  byte[] quit() {
    return packet(one(Opcode.QUIT, Opcode.QUITQ), new byte[0], "", "");
  }
}
