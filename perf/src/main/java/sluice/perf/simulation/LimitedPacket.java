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
  private boolean relayed; // by another gateway, which may tell another status, or no reason

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
    return Opcode.loud(opcode) == Opcode.GET || Opcode.loud(opcode) == Opcode.GETK;
  }

  /** Whether it has no reply unless there is something to tell. */
  final boolean isQuiet() {
    return Opcode.loud(opcode) != opcode;
  }

  /** Whether a reply is its own, or an error in its place. */
  final boolean isAnsweredBy(BinaryReply reply) {
    return reply.answers(opcode, opaque);
  }

  /**
   * It is sent, and may need something of one of these buckets.
   *
   * @param through whether another gateway passes it on
   */
  final void begins(Object client, List<Bucket> buckets, boolean through, long now) {
    relayed = through;
    for (Bucket one : buckets) {
      if (key.name().startsWith(one.limit().prefix())) {
        bucket = one;
        taking = one.begins(client, 1, relayed, now);
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
    if (!isAnsweredBy(reply)) {
      wrong = "found another request's reply";
    } else if (reply.isFailure()) {
      wrong = judgeFailure(reply, excused, now);
    } else if (isQuiet() && reply.status() == silentStatus()) {
      wrong = "found a reply, expected silence";
    } else {
      wrong = passed(judge(reply), now);
    }
    return wrong == null ? null : wrong + " to " + this;
  }

  /** Judges that a later request has a reply, and this one has none, which is quiet. */
  final @Nullable String judgeSilence(long now) {
    String wrong = passed(judgeSilence(), now);
    return wrong == null ? null : wrong + ", without a reply to " + this;
  }

  private int silentStatus() {
    return reads() ? BinaryReply.NOT_FOUND : BinaryReply.NO_ERROR;
  }

  private @Nullable String passed(@Nullable String wrong, long now) {
    return wrong == null && bucket != null && taking != null ? bucket.passed(taking, now) : wrong;
  }

  private @Nullable String judgeFailure(BinaryReply reply, Predicate<String> excused, long now) {
    // The value is the whole error line if the other gateway answered in text.
    boolean isLine = relayed && reply.value().startsWith("SERVER_ERROR ");
    String error = isLine ? reply.value() : "SERVER_ERROR " + reply.value();
    if (bucket != null && taking != null && error.equals(bucket.limit().error())) {
      String wrong = bucket.rejected(taking, now);
      if (wrong == null && reply.status() != BUSY && !relayed) {
        wrong = "found status " + reply.status();
      }
      return wrong == null ? rejected() : wrong;
    }
    unknown(now);
    boolean maybeRejected = relayed && bucket != null && reply.value().isEmpty();
    return maybeRejected || excused.test(error)
        ? null
        : "an error without a fault: " + reply.value();
  }

  /** It was rejected; returns null, or why it cannot have been. */
  @Nullable String rejected() {
    return null;
  }

  /** Judges a reply that is no failure. */
  abstract @Nullable String judge(BinaryReply reply);

  /** Judges that there is none: a read has found nothing, and a change was carried out. */
  abstract @Nullable String judgeSilence();

  @Override
  public final String toString() {
    return "opcode 0x%02x, opaque 0x%08x, key %s".formatted(opcode, opaque, key.name());
  }

  private static String unexpected(BinaryReply reply) {
    return "found status " + reply.status();
  }

  /** A read, whose reply may have the key. */
  static LimitedPacket get(int opaque, OrderedKey key, boolean tellsKey, boolean quiet) {
    int opcode = tellsKey ? Opcode.GETK : Opcode.GET;
    if (quiet) {
      opcode = tellsKey ? Opcode.GETKQ : Opcode.GETQ;
    }
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

      @Override
      @Nullable String judgeSilence() {
        return key.judge((OrderedKey.@Nullable Item) null);
      }
    };
  }

  /** A delete. */
  static LimitedPacket delete(int opaque, OrderedKey key, boolean quiet) {
    return new LimitedPacket(quiet ? Opcode.DELETEQ : Opcode.DELETE, opaque, key, NO_EXTRAS, "") {
      @Override
      @Nullable String judge(BinaryReply reply) {
        boolean done = reply.status() == BinaryReply.NO_ERROR;
        if (!done && reply.status() != BinaryReply.NOT_FOUND) {
          return unexpected(reply);
        }
        return deleted(done);
      }

      @Override
      @Nullable String judgeSilence() {
        return deleted(true);
      }

      private @Nullable String deleted(boolean done) {
        String wrong = key.judge(done);
        key.holds(null);
        return wrong;
      }
    };
  }

  /** A write of the key's next value. */
  static LimitedPacket set(int opaque, OrderedKey key, int length, boolean quiet) {
    String value = key.next(length);
    OrderedKey.Item item = new OrderedKey.Item(value, key.flags());
    byte[] extras = ByteBuffer.allocate(Long.BYTES).putInt((int) item.flags()).array();
    return new LimitedPacket(quiet ? Opcode.SETQ : Opcode.SET, opaque, key, extras, value) {
      @Override
      @Nullable String rejected() {
        return key.isCarriedOut(item.flags()) ? "a server has carried out what was rejected" : null;
      }

      @Override
      @Nullable String judge(BinaryReply reply) {
        return reply.status() == BinaryReply.NO_ERROR ? judgeSilence() : unexpected(reply);
      }

      @Override
      @Nullable String judgeSilence() {
        key.holds(item);
        return key.mayHold(item.flags()) ? null : "no server has carried it out";
      }
    };
  }
}
