package sluice.gateway.differential;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Makes up what a client of one dialect sends. */
abstract class Operations {
  private static final List<Integer> DEPTHS = List.of(1, 2, 4, 16, 64);

  final Dice dice;

  /** The seconds since 1970 when all this began: absolute times are counted from here. */
  final long epoch;

  private final List<Operation> made = new ArrayList<>();
  private final Set<String> readInBatch = new HashSet<>();
  private int leftInBatch;

  Operations(long seed, long epoch) {
    dice = new Dice(seed);
    this.epoch = epoch;
  }

  static List<Operation> make(Dialect dialect, long seed, long epoch, int count) {
    Operations operations =
        switch (dialect) {
          case TEXT -> new TextOperations(seed, epoch);
          case META -> new MetaOperations(seed, epoch);
          case BINARY -> new BinaryOperations(seed, epoch);
        };
    while (operations.made.size() < count) {
      operations.more();
    }
    return List.copyOf(operations.made);
  }

  /** Adds one operation, or a few that belong together. */
  abstract void more();

  /** All keys that operations use. */
  static List<Key> keys(Dialect dialect) {
    return switch (dialect) {
      case TEXT -> TextOperations.KEYS;
      case META -> MetaOperations.KEYS;
      case BINARY -> BinaryOperations.KEYS;
    };
  }

  int nextNumber() {
    return made.size() + 1;
  }

  /** Adds an operation that reads these of its keys. */
  void addRead(Operation operation) {
    add(operation);
    operation.keys().forEach(key -> readInBatch.add(key.raw()));
  }

  /** The last operation reads these, too. */
  void alsoRead(List<String> rawKeys) {
    readInBatch.addAll(rawKeys);
  }

  /**
   * Adds an operation of arithmetic: not behind a read of its key in one batch. Memcached writes
   * the number in place, padded, unless somebody still reads the item; then it makes a new one.
   */
  void addArithmetic(Operation operation) {
    if (operation.keys().stream().anyMatch(key -> readInBatch.contains(key.raw()))) {
      leftInBatch = 0;
    }
    add(operation);
  }

  /** Adds an operation that knows the replies to all before it. */
  void addInformed(Operation operation) {
    leftInBatch = 0;
    add(operation);
  }

  void add(Operation operation) {
    if (leftInBatch-- <= 0) {
      leftInBatch = dice.below(dice.any(DEPTHS));
      readInBatch.clear();
      operation = operation.startingBatch();
    }
    made.add(operation);
    if (operation.answer() == Answer.CLOSES) {
      leftInBatch = 0;
    }
  }

  /** A cas unique that a request may name. */
  Cas anyCas() {
    return dice.any(List.of(Cas.LATEST, Cas.LATEST, Cas.LATEST, Cas.EARLIER, Cas.UNHEARD_OF));
  }

  /** The same, or 0. */
  Cas anyCasOrZero() {
    return dice.oneIn(15) ? Cas.ZERO : anyCas();
  }

  /**
   * Seconds to live: far apart, and none that ends while the test runs. What is negative has ended.
   */
  long timeToLive() {
    return switch (dice.below(12)) {
      case 0 -> 10_000;
      case 1 -> 20_000;
      case 2 -> 2_592_000; // 30 days: the last that counts from now
      case 3 -> epoch + 40_000;
      case 4 -> Integer.MAX_VALUE; // a time in 2038
      case 5 -> 2_592_001; // a time in 1970: it has ended
      default -> 0;
    };
  }

  /** Client flags: any 32 bits. */
  long flags() {
    return switch (dice.below(8)) {
      case 0 -> 1;
      case 1 -> 0x1_0000;
      case 2 -> 0x8000_0000L;
      case 3 -> 0xffff_ffffL;
      case 4 -> dice.number() & 0xffff_ffffL;
      default -> 0;
    };
  }

  /** What is added to a counter, or where one begins: it does not get to 2^63 that way. */
  long increment() {
    return switch (dice.below(6)) {
      case 0 -> 0;
      case 1 -> 10;
      case 2 -> 99;
      case 3 -> dice.number() >>> 24;
      default -> 1;
    };
  }

  /** What is taken off a counter, unsigned. */
  long decrement() {
    return switch (dice.below(4)) {
      case 0 -> dice.number();
      case 1 -> -1; // 2^64 - 1
      default -> increment();
    };
  }
}
