package sluice.perf.simulation;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import sluice.testkit.Opcode;

/** Packet of the binary protocol for a key with a {@link Limit}, and how its reply is judged. */
abstract class LimitedPacket {
  private static final int BUSY = 0x85;
  private static final byte[] NO_EXTRAS = {};

  private final byte[] bytes;
  private final int opcode;
  private final int opaque;
  final OrderedKey key;
  private @Nullable Bucket bucket; // null: its rule has no limit
  private Bucket.@Nullable Taking taking;

  private LimitedPacket(int opcode, int opaque, OrderedKey key, byte[] extras, String value) {
    this.opcode = opcode;
    this.opaque = opaque;
    this.key = key;
    bytes = BinaryReply.request(opcode, extras, key.name(), value, opaque);
  }

  final byte[] bytes() {
    return bytes;
  }

  final boolean reads() {
    return opcode == Opcode.GET || opcode == Opcode.GETK;
  }

  /** It is sent, and may need something of one of these buckets. */
  final void begins(Object client, List<Bucket> buckets, long now) {
    for (Bucket one : buckets) {
      if (key.name().startsWith(one.limit().prefix())) {
        bucket = one;
        taking = one.begins(client, 1, now);
      }
    }
  }

  /**
   * It is not known whether it was rejected, nor what it did.
   *
   * @param until it was decided by then
   */
  final void unknown(long until) {
    if (bucket != null && taking != null) {
      bucket.unknown(taking, until);
    }
    if (!reads()) {
      key.uncertain();
    }
  }

  /**
   * Judges its reply.
   *
   * @param excused whether a fault may be the cause of an error
   * @return what is wrong; null if nothing is
   */
  final @Nullable String judge(BinaryReply reply, Predicate<String> excused, long now) {
    String wrong;
    if (!reply.answers(opcode, opaque)) {
      wrong = "found another request's reply";
    } else if (reply.isFailure()) {
      wrong = judgeFailure(reply, excused, now);
    } else {
      wrong = judge(reply);
      if (wrong == null && bucket != null && taking != null) {
        wrong = bucket.passed(taking, now);
      }
    }
    return wrong == null ? null : wrong + " to " + this;
  }

  private @Nullable String judgeFailure(BinaryReply reply, Predicate<String> excused, long now) {
    String error = "SERVER_ERROR " + reply.value();
    if (bucket != null && taking != null && error.equals(bucket.limit().error())) {
      String wrong = bucket.rejected(taking, now);
      if (wrong == null && reply.status() != BUSY) {
        wrong = "found status " + reply.status();
      }
      return wrong == null ? rejected() : wrong;
    }
    unknown(now);
    return excused.test(error) ? null : "an error without a fault: " + reply.value();
  }

  /** It was rejected; returns null, or why it cannot have been. */
  @Nullable String rejected() {
    return null;
  }

  /** Judges a reply that is no failure. */
  abstract @Nullable String judge(BinaryReply reply);

  @Override
  public final String toString() {
    return "opcode 0x%02x, opaque 0x%08x, key %s".formatted(opcode, opaque, key.name());
  }

  private static String unexpected(BinaryReply reply) {
    return "found status " + reply.status();
  }

  /** A read, whose reply may have the key. */
  static LimitedPacket get(int opaque, OrderedKey key, boolean tellsKey) {
    int opcode = tellsKey ? Opcode.GETK : Opcode.GET;
    return new LimitedPacket(opcode, opaque, key, NO_EXTRAS, "") {
      @Override
      @Nullable String judge(BinaryReply reply) {
        if (!reply.key().equals(tellsKey ? key.name() : "")) {
          return "found key " + reply.key();
        }
        return switch (reply.status()) {
          case BinaryReply.NO_ERROR -> key.judge(new OrderedKey.Item(reply.value(), reply.flags()));
          case BinaryReply.NOT_FOUND -> key.judge((OrderedKey.@Nullable Item) null);
          default -> unexpected(reply);
        };
      }
    };
  }

  /** A delete. */
  static LimitedPacket delete(int opaque, OrderedKey key) {
    return new LimitedPacket(Opcode.DELETE, opaque, key, NO_EXTRAS, "") {
      @Override
      @Nullable String judge(BinaryReply reply) {
        boolean done = reply.status() == BinaryReply.NO_ERROR;
        if (!done && reply.status() != BinaryReply.NOT_FOUND) {
          return unexpected(reply);
        }
        String wrong = key.judge(done);
        key.holds(null);
        return wrong;
      }
    };
  }

  /** A write of the key's next value. */
  static LimitedPacket set(int opaque, OrderedKey key, int length) {
    String value = key.next(length);
    OrderedKey.Item item = new OrderedKey.Item(value, key.flags());
    byte[] extras = ByteBuffer.allocate(Long.BYTES).putInt((int) item.flags()).array();
    return new LimitedPacket(Opcode.SET, opaque, key, extras, value) {
      @Override
      @Nullable String rejected() {
        return key.isCarriedOut(item.flags()) ? "a server has carried out what was rejected" : null;
      }

      @Override
      @Nullable String judge(BinaryReply reply) {
        if (reply.status() != BinaryReply.NO_ERROR) {
          return unexpected(reply);
        }
        key.holds(item);
        return key.mayHold(item.flags()) ? null : "no server has carried it out";
      }
    };
  }
}
