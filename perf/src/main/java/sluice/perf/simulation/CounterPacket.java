package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.history.CounterHistory.Count;
import sluice.perf.simulation.history.Step;

/** Packet for a number that several clients count. */
final class CounterPacket extends SharedPacket {
  private final SharedCounter counter;
  private final Step step;
  private final @Nullable Count count; // null: it reads

  /** A read. */
  CounterPacket(int opcode, int opaque, SharedCounter counter, Step read) {
    super(opcode, opaque, counter, read);
    this.counter = counter;
    step = read;
    count = null;
  }

  /** A change. */
  CounterPacket(int opcode, int opaque, SharedCounter counter, Count count) {
    super(opcode, opaque, counter, count);
    this.counter = counter;
    step = count;
    this.count = count;
  }

  @Override
  @Nullable String judge(BinaryReply reply) {
    boolean done = reply.status() == BinaryReply.NO_ERROR;
    if (!done && reply.status() != BinaryReply.NOT_FOUND) {
      return unexpected(reply.status());
    }
    if (count != null) {
      return counted(count, done ? number(reply) : null);
    }
    if (done && reply.flags() != SharedCounter.FLAGS) {
      return told("found flags " + reply.flags());
    }
    return told(counter.judge(step, done ? reply.value() : null));
  }

  private static String number(BinaryReply reply) {
    byte[] value = reply.value().getBytes(ISO_8859_1);
    return value.length == Long.BYTES
        ? Long.toUnsignedString(ByteBuffer.wrap(value).getLong())
        : value.length + " bytes";
  }

  private @Nullable String counted(Count change, @Nullable String digits) {
    if (digits == null) {
      change.refused();
    } else {
      counter.done(change);
    }
    return told(counter.judge(change, digits));
  }

  @Override
  @Nullable String judgeSilence() {
    if (count == null) {
      return told(counter.judge(step, null));
    }
    counter.done(count);
    return null;
  }
}
