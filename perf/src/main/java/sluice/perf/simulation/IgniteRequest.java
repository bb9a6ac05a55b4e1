package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.OrderedKey.Item;
import sluice.testkit.Opcode;

/** Request in Ignite's dialect, and how its reply is judged. Each has one, quiet or not. */
abstract class IgniteRequest {
  /**
   * What a change does to an item.
   *
   * @param done whether it is carried out
   * @param item what the key holds afterwards
   */
  record Change(boolean done, @Nullable Item item) {
    /** A change that is not carried out. */
    static Change none(@Nullable Item held) {
      return new Change(false, held);
    }

    /** One that is. */
    static Change to(@Nullable Item item) {
      return new Change(true, item);
    }
  }

  /** Status of everything that was not done. */
  static final int FAILURE = 4;

  private static final int MISS = 1;
  private static final int TYPES = 4; // bytes of them, in the reply to each get
  private static final Pattern PADDED_COUNTER = Pattern.compile("[0-9]+ +");

  private final byte[] packet;
  private final int opcode;
  private final int opaque;
  private final @Nullable OrderedKey key; // null: none, or none that can exist
  private @Nullable Bucket bucket; // null: its rule has no limit
  private Bucket.@Nullable Taking taking;

  private IgniteRequest(byte[] packet, @Nullable OrderedKey key) {
    this.packet = packet;
    ByteBuffer header = ByteBuffer.wrap(packet);
    opcode = header.get(1);
    opaque = header.getInt(12);
    this.key = key;
  }

  final byte[] packet() {
    return packet;
  }

  /** Whether it reads a value. */
  final boolean reads() {
    int loud = Opcode.loud(opcode);
    return loud == Opcode.GET || loud == Opcode.GETK;
  }

  /** Whether it is known what the reply must be. */
  final boolean isExact() {
    return key == null || key.isKnown();
  }

  /** It is sent, and may need something of one of these buckets. */
  final void begins(Object client, List<Bucket> buckets, long now) {
    for (Bucket one : buckets) {
      if (key != null && key.name().startsWith(one.limit().prefix())) {
        bucket = one;
        taking = one.begins(client, 1, false, now);
      }
    }
  }

  /**
   * It may have been carried out, or may be later.
   *
   * @param until it was decided by then whether it is over a limit
   */
  final void unknown(long until) {
    decided(until);
    if (key != null && !reads()) {
      key.uncertain();
    }
  }

  private void decided(long until) {
    if (bucket != null && taking != null) {
      bucket.unknown(taking, until);
    }
  }

  private @Nullable String passed(long now) {
    return bucket == null || taking == null ? null : bucket.passed(taking, now);
  }

  /**
   * Judges its reply.
   *
   * @param failed whether a fault may be why it was not carried out
   * @return what is wrong; null if nothing is
   */
  final @Nullable String judge(BinaryReply reply, boolean failed, long now) {
    if (!reply.answers(opcode, opaque)) {
      return "found another request's reply, expected one to " + this;
    }
    if (reply.extras().length != (reads() ? TYPES : 0)) {
      return "found other extras in the reply to " + this;
    }
    String wrong =
        reply.status() <= (reads() ? MISS : 0)
            ? judgeSuccess(reply)
            : judgeFailure(reply, failed, now);
    if (wrong == null && reply.status() != FAILURE) {
      wrong = passed(now);
    }
    return wrong == null ? null : wrong + " to " + this;
  }

  /** Judges a reply that says that it was carried out, or that a read has found nothing. */
  abstract @Nullable String judgeSuccess(BinaryReply reply);

  /** Whether it may fail without a fault. */
  boolean mayFail() {
    return false;
  }

  private @Nullable String judgeFailure(BinaryReply reply, boolean failed, long now) {
    if (reply.status() != FAILURE) {
      return "found status " + reply.status();
    }
    if (mayFail()) {
      decided(now);
      return null;
    }
    if (failed) {
      unknown(now);
      return null;
    }
    return bucket == null || taking == null
        ? "a failure without a fault"
        : bucket.rejected(taking, now);
  }

  @Override
  public String toString() {
    String name = key == null ? "no key" : key.name();
    return "opcode 0x%02x, opaque %x, %s".formatted(opcode, opaque, name);
  }

  /** A read of a key. */
  static IgniteRequest get(byte[] packet, OrderedKey key) {
    int loud = Opcode.loud(packet[1]);
    return new IgniteRequest(packet, key) {
      @Override
      @Nullable String judgeSuccess(BinaryReply reply) {
        if (!reply.key().equals(loud == Opcode.GETK ? key.name() : "")) {
          return "found key " + reply.key();
        }
        if (reply.status() == MISS) {
          boolean empty = reply.flags() == 0 && reply.value().isEmpty();
          return empty ? key.judge(null) : "found a miss with types or a value";
        }
        return key.judge(new Item(held(key.rule(), reply.value()), reply.flags()));
      }
    };
  }

  // memcached puts spaces behind a counter that gets shorter. Any byte of a node's item counts.
  private static String held(Rule rule, String value) {
    boolean padded = rule != Rule.IGNITE && PADDED_COUNTER.matcher(value).matches();
    return padded ? value.stripTrailing() : value;
  }

  /**
   * A change of a key.
   *
   * @param change by what the key holds before it
   * @param tellsNumber whether the reply has the number that the key holds
   */
  static IgniteRequest change(
      byte[] packet, OrderedKey key, Function<@Nullable Item, Change> change, boolean tellsNumber) {
    return new IgniteRequest(packet, key) {
      @Override
      boolean mayFail() {
        return !key.isKnown() || !change.apply(key.item()).done();
      }

      @Override
      @Nullable String judgeSuccess(BinaryReply reply) {
        boolean known = key.isKnown();
        Change made = change.apply(key.item());
        if (!made.done()) {
          return known ? "found success, expected a failure" : null;
        }
        key.holds(made.item());
        if (!tellsNumber) {
          return reply.value().isEmpty() ? null : "found a value";
        }
        byte[] told = reply.value().getBytes(ISO_8859_1);
        if (told.length != Long.BYTES) {
          return "found " + told.length + " bytes of a number";
        }
        String number = Long.toUnsignedString(ByteBuffer.wrap(told).getLong());
        Item item = made.item();
        boolean right = !known || item == null || number.equals(item.value());
        return right ? null : "found the number " + number + ", expected " + item;
      }
    };
  }

  /** A request that must fail, and change nothing. */
  static IgniteRequest refused(byte[] packet) {
    return new IgniteRequest(packet, null) {
      @Override
      boolean mayFail() {
        return true;
      }

      @Override
      @Nullable String judgeSuccess(BinaryReply reply) {
        return "found status " + reply.status();
      }
    };
  }

  /** A request without a key that the gateway answers, or that asks servers for a text. */
  static IgniteRequest withoutKey(byte[] packet, boolean tellsText) {
    return new IgniteRequest(packet, null) {
      @Override
      @Nullable String judgeSuccess(BinaryReply reply) {
        return reply.value().isEmpty() == tellsText ? "found value " + reply.value() : null;
      }
    };
  }
}
