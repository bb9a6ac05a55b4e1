package sluice.testkit.selfcheck;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Value that a connection wrote, or may have written, under a key of its own. Key, connection and
 * sequence number determine every byte and the flags, so that any value can be traced to the
 * request that sent it.
 */
final class Write {
  /** The previous value, and the added bytes. */
  private record Sum(Write base, Write added, boolean inFront) {}

  /** The key has no value. */
  static final Write ABSENT = new Write("", -1, -1, 0, false);

  private static final int IGNITE_BYTE = 0x0500;
  private static final int IGNITE_FLOAT = 0x0600;
  private static final int IGNITE_DOUBLE = 0x0700;
  private static final int IGNITE_BYTES = 0x0800;

  final String key;
  final int connection;
  final long sequence;
  final int length;
  private final boolean typed;

  /** Null for a value that was written as a whole. */
  private final @Nullable Sum sum;

  /** The cas unique that a server gave this write; 0 while none is known. */
  long cas;

  /**
   * @param typed whether flags are to be a type of Ignite's that such a value can have
   */
  Write(String key, int connection, long sequence, int length, boolean typed) {
    this.key = key;
    this.connection = connection;
    this.sequence = sequence;
    this.length = length;
    this.typed = typed;
    sum = null;
  }

  private Write(Write base, Write added, boolean inFront) {
    this.key = base.key;
    this.connection = base.connection;
    this.sequence = added.sequence;
    this.length = base.length + added.length;
    this.typed = false;
    sum = new Sum(base, added, inFront);
  }

  /** The value after another was prepended or appended to this one. */
  Write with(Write addition, boolean front) {
    return new Write(this, addition, front);
  }

  /** Client flags; all 32 bits are used, except for Ignite. */
  int flags() {
    if (sum != null) {
      return sum.base.flags();
    }
    return typed ? type() : (int) mix(sequence * 31 + connection);
  }

  /** Ignite's flags for a type whose values can have this length, with any bytes. */
  private int type() {
    return switch (length) {
      case 1 -> IGNITE_BYTE;
      case 4 -> IGNITE_FLOAT;
      case 8 -> IGNITE_DOUBLE;
      default -> IGNITE_BYTES;
    };
  }

  /**
   * "key connection sequence length " followed by random bytes, which include line ends; cut to
   * length.
   */
  byte[] value() {
    byte[] value = new byte[length];
    Sum sum = this.sum;
    if (sum != null) {
      byte[] first = (sum.inFront ? sum.added : sum.base).value();
      byte[] second = (sum.inFront ? sum.base : sum.added).value();
      System.arraycopy(first, 0, value, 0, first.length);
      System.arraycopy(second, 0, value, first.length, second.length);
      return value;
    }
    byte[] head =
        (key + ' ' + connection + ' ' + sequence + ' ' + length + ' ')
            .getBytes(StandardCharsets.ISO_8859_1);
    int copied = Math.min(head.length, length);
    System.arraycopy(head, 0, value, 0, copied);
    long state = mix(sequence ^ ((long) connection << 40));
    for (int i = copied; i < length; i++) {
      if ((i & 7) == 0) {
        state = mix(state + 0x9e3779b97f4a7c15L);
      }
      value[i] = (byte) (state >> ((i & 7) * 8));
    }
    if (length > copied + 8) {
      value[copied + 3] = '\r';
      value[copied + 4] = '\n';
    }
    return value;
  }

  boolean matches(int otherFlags, byte[] array, int from, int to) {
    return this != ABSENT
        && otherFlags == flags()
        && to - from == length
        && Arrays.equals(value(), 0, length, array, from, to);
  }

  private static long mix(long seed) {
    long z = seed + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  @Override
  public String toString() {
    if (sum != null) {
      return sum.base + (sum.inFront ? " behind " : " before ") + sum.added;
    }
    return this == ABSENT ? "nothing" : "write " + sequence + " of " + length + " bytes";
  }
}
