package sluice.perf.simulation;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.history.CounterHistory.Count;
import sluice.perf.simulation.history.ValueHistory;
import sluice.perf.simulation.history.ValueHistory.Change;
import sluice.testkit.Opcode;

/** Valid packets of a client of the binary protocol for keys that others use, too. */
final class SharedPackets {
  private static final int[] LOUD = {
    Opcode.GET,
    Opcode.GET,
    Opcode.GETK,
    Opcode.GAT,
    Opcode.TOUCH,
    Opcode.SET,
    Opcode.SET,
    Opcode.ADD,
    Opcode.DELETE
  };
  private static final int[] QUIET = {
    Opcode.GETQ, Opcode.GETKQ, Opcode.GATQ, Opcode.SETQ, Opcode.SETQ, Opcode.ADDQ, Opcode.DELETEQ
  };
  private static final byte[] NO_EXTRAS = {};
  private static final int NOT_CREATED = -1; // instead of a time to live of a number
  private static final byte[] FOR_EVER = new byte[Integer.BYTES];

  private final SharedKeys keys;
  private final String gateway;
  private final RandomGenerator random;
  private final int eighths; // of the client's requests

  /**
   * Packets of one client.
   *
   * @param gateway its host
   */
  SharedPackets(SharedKeys keys, String gateway, RandomGenerator random) {
    this.keys = keys;
    this.gateway = gateway;
    this.random = random;
    eighths = random.nextInt(3) * 3;
  }

  /** Whether the client's next request is one of them. */
  boolean isNext() {
    return random.nextInt(8) < eighths;
  }

  /** A packet, and what its reply must be. */
  record Sent(SharedPacket packet, byte[] bytes) {}

  /** Any request. */
  Sent next(boolean quiet) {
    SharedCounter counter = random.nextInt(4) == 0 ? keys.counter(gateway, random) : null;
    return counter != null && counter.isReady() ? number(quiet, counter) : value(quiet);
  }

  private Sent number(boolean quiet, SharedCounter counter) {
    int opaque = (int) random.nextLong();
    if (random.nextInt(3) == 0) {
      int opcode = quiet ? Opcode.GETQ : Opcode.GET;
      return sent(new CounterPacket(opcode, opaque, counter, counter.read(this)), NO_EXTRAS);
    }
    return count(quiet, opaque, counter);
  }

  /** A change of a number, with a reply; null if there is no number now. */
  @Nullable Sent count() {
    SharedCounter counter = keys.counter(gateway, random);
    return counter.isReady() ? count(false, (int) random.nextLong(), counter) : null;
  }

  private Sent count(boolean quiet, int opaque, SharedCounter counter) {
    Count count = counter.count(this);
    int opcode = count.isUp() ? Opcode.INCREMENT : Opcode.DECREMENT;
    if (quiet) {
      opcode = count.isUp() ? Opcode.INCREMENTQ : Opcode.DECREMENTQ;
    }
    byte[] extras = ByteBuffer.allocate(20).putLong(count.delta()).putInt(16, NOT_CREATED).array();
    return sent(new CounterPacket(opcode, opaque, counter, count), extras);
  }

  private Sent value(boolean quiet) {
    SharedKey key = keys.key(gateway, random);
    int[] opcodes = quiet ? QUIET : LOUD;
    int opcode = fitting(opcodes[random.nextInt(opcodes.length)], key.rule());
    int opaque = (int) random.nextLong();
    return switch (Opcode.loud(opcode)) {
      case Opcode.SET, Opcode.ADD -> write(opcode, opaque, key);
      case Opcode.DELETE -> sent(new ValuePacket(opcode, opaque, key, key.delete(this)), NO_EXTRAS);
      case Opcode.TOUCH, Opcode.GAT ->
          sent(new ValuePacket(opcode, opaque, key, key.read(this)), FOR_EVER);
      default -> sent(new ValuePacket(opcode, opaque, key, key.read(this)), NO_EXTRAS);
    };
  }

  private static int fitting(int opcode, Rule rule) {
    return switch (opcode) {
      case Opcode.TOUCH, Opcode.GAT -> rule.takesAll() ? opcode : Opcode.GET;
      case Opcode.GATQ -> rule.takesAll() ? opcode : Opcode.GETQ;
      case Opcode.ADD -> rule.decidesAlone() ? opcode : Opcode.SET;
      case Opcode.ADDQ -> rule.decidesAlone() ? opcode : Opcode.SETQ;
      default -> opcode;
    };
  }

  private static Sent sent(SharedPacket packet, byte[] extras) {
    return new Sent(
        packet,
        BinaryReply.request(packet.opcode(), extras, packet.keyName(), "", packet.opaque()));
  }

  private Sent write(int opcode, int opaque, SharedKey key) {
    boolean compares = Opcode.loud(opcode) == Opcode.SET && random.nextInt(3) == 0;
    @Nullable Change compared = compares ? compared(key) : null;
    int length = random.nextInt(12) == 0 ? random.nextInt(1_000, 8_000) : random.nextInt(10, 200);
    String value = key.next(length);
    Change change = key.write(this, value);
    long flags = key.flags();
    byte[] extras = ByteBuffer.allocate(Long.BYTES).putInt((int) flags).array();
    byte[] bytes = BinaryReply.request(opcode, extras, key.name(), value, opaque);
    if (compared != null) {
      ByteBuffer.wrap(bytes).putLong(BinaryReply.CAS, ValueHistory.unique(compared));
    }
    var write = new ValuePacket.Write(change, value, flags, compared);
    return new Sent(new ValuePacket(opcode, opaque, key, write), bytes);
  }

  // The write that a cas compares with; null if there is none yet, or pools have their own uniques.
  private static @Nullable Change compared(SharedKey key) {
    return key.rule().decidesAlone() ? key.history().known() : null;
  }
}
