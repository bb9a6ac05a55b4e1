package sluice.perf.simulation;

import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.history.Step;
import sluice.perf.simulation.history.ValueHistory.Change;
import sluice.testkit.Opcode;

/** Packet for a value that several clients write and read. */
final class ValuePacket extends SharedPacket {
  private final SharedKey key;
  private final Step step;
  private final @Nullable Write write;

  /**
   * What a packet writes.
   *
   * @param compared the write whose item it must find; null if it need not find any
   */
  record Write(Change change, String value, long flags, @Nullable Change compared) {}

  /** A read, a touch or a delete. */
  ValuePacket(int opcode, int opaque, SharedKey key, Step step) {
    this(opcode, opaque, key, step, null);
  }

  /** A write. */
  ValuePacket(int opcode, int opaque, SharedKey key, Write write) {
    this(opcode, opaque, key, write.change(), write);
  }

  private ValuePacket(int opcode, int opaque, SharedKey key, Step step, @Nullable Write write) {
    super(opcode, opaque, key, step);
    this.key = key;
    this.step = step;
    this.write = write;
  }

  @Override
  @Nullable String judge(BinaryReply reply) {
    boolean done = reply.status() == BinaryReply.NO_ERROR;
    if (write != null) {
      return done ? stored(write, reply.cas()) : refused(write, reply.status());
    }
    if (!done && reply.status() != BinaryReply.NOT_FOUND) {
      return unexpected(reply.status());
    }
    return switch (loud()) {
      case Opcode.DELETE -> deleted(done);
      case Opcode.TOUCH -> told(key.judge(step, done));
      default -> done ? read(reply) : told(key.judge(step, null, 0));
    };
  }

  @Override
  @Nullable String judgeSilence() {
    if (write != null) {
      return stored(write, 0);
    }
    return loud() == Opcode.DELETE ? deleted(true) : told(key.judge(step, null, 0));
  }

  private @Nullable String read(BinaryReply reply) {
    String wrong = key.judge(step, reply.value(), reply.flags());
    return told(wrong == null ? judgeUnique(reply.value(), reply.cas()) : wrong);
  }

  // A bridge to text tells no unique of what is written.
  private @Nullable String judgeUnique(String value, long unique) {
    return unique == 0 || !key.rule().takesAll() ? null : key.judgeUnique(value, unique);
  }

  private @Nullable String deleted(boolean found) {
    key.done(step); // where there was nothing, it has changed nothing
    return told(key.judge(step, found));
  }

  private @Nullable String stored(Write what, long unique) {
    String wrong = null;
    if (loud() == Opcode.ADD) {
      wrong = key.judge(step, false);
    } else if (what.compared() != null) {
      wrong = key.judgeCas(what.change(), what.compared(), true);
    }
    if (wrong != null) {
      return told(wrong);
    }
    key.done(step);
    return told(
        key.mayHold(what.flags())
            ? judgeUnique(what.value(), unique)
            : "no server has carried it out");
  }

  private @Nullable String refused(Write what, int status) {
    step.refused();
    Change compared = what.compared();
    if (loud() == Opcode.ADD && status == BinaryReply.EXISTS) {
      return told(key.judge(step, true));
    }
    if (compared == null) {
      return unexpected(status);
    }
    return switch (status) {
      case BinaryReply.EXISTS -> told(key.judgeCas(what.change(), compared, false));
      case BinaryReply.NOT_FOUND -> told(key.judge(step, false));
      default -> unexpected(status);
    };
  }
}
