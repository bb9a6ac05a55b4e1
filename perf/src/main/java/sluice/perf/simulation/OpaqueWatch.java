package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.testkit.Opcode;

/**
 * Opaques of the requests that one connection brings to a server. Requests that arrive together are
 * in flight at once, so no two of them may have the same: a reply that is lost or comes twice would
 * be taken for another one.
 */
final class OpaqueWatch {
  private static final byte REQUEST = (byte) 0x80;
  private static final int OPAQUE = 12; // where a header has it
  private static final int VERSION = 0x0b;
  private static final int FIRST_OF_SASL = 0x20;
  private static final int LAST_OF_SASL = 0x22;
  private static final int LINE_END = 2;

  /** A gateway leaves a client's opaque in a line that would become too long with its own. */
  private static final int MOST_LINE = 1_000;

  private static final Pattern META = Pattern.compile("m[gsdae] .*", Pattern.DOTALL);
  private static final Pattern STORAGE =
      Pattern.compile("(?:set|add|replace|append|prepend|cas) .*", Pattern.DOTALL);
  private static final Pattern META_OPAQUE = Pattern.compile("O[0-9]{1,10}");
  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,9}");
  private static final Pattern SPACES = Pattern.compile("[ \r\n]+");

  private final byte[] head = new byte[MOST_LINE]; // the first bytes of a header, or of a line
  private int length; // of that, as far as it has arrived
  private long value; // bytes behind it that are still to come
  private final Set<Long> together = new HashSet<>();
  private @Nullable String repeated;

  /** Bytes have arrived. Returns an opaque that two of their requests have; null for none. */
  @Nullable String arrived(byte[] bytes) {
    together.clear();
    repeated = null;
    int at = 0;
    while (at < bytes.length) {
      if (value > 0) {
        int part = (int) Math.min(value, bytes.length - at);
        value -= part;
        at += part;
      } else {
        add(bytes[at++]);
      }
    }
    return repeated;
  }

  private void add(byte one) {
    if (length < head.length) {
      head[length] = one;
    }
    length++;
    if (head[0] == REQUEST) {
      if (length == BinaryReply.HEADER) {
        packet();
        length = 0;
      }
    } else if (one == '\n') {
      line();
      length = 0;
    }
  }

  private void packet() {
    ByteBuffer header = ByteBuffer.wrap(head);
    int opcode = head[1] & 0xFF;
    boolean asksForNothing = opcode == Opcode.NOOP || opcode == VERSION; // as a probe does
    if (!asksForNothing && (opcode < FIRST_OF_SASL || opcode > LAST_OF_SASL)) {
      note(header.getInt(OPAQUE));
    }
    value = header.getInt(BinaryReply.BODY_LENGTH) & 0xFFFFFFFFL;
  }

  private void line() {
    String line = new String(head, 0, Math.min(length, head.length), ISO_8859_1);
    if (META.matcher(line).matches()) {
      String[] tokens = SPACES.split(line);
      for (int i = 2; i < tokens.length && length <= MOST_LINE; i++) {
        if (META_OPAQUE.matcher(tokens[i]).matches()) {
          note(Long.parseLong(tokens[i].substring(1)));
        }
      }
      value = line.startsWith("ms ") ? valueLength(tokens, 2) : 0;
    } else if (STORAGE.matcher(line).matches()) {
      value = valueLength(SPACES.split(line), 4);
    }
  }

  private static long valueLength(String[] tokens, int at) {
    boolean known = tokens.length > at && LENGTH.matcher(tokens[at]).matches();
    return known ? Long.parseLong(tokens[at]) + LINE_END : 0;
  }

  private void note(long opaque) {
    if (!together.add(opaque)) {
      repeated = Long.toString(opaque);
    }
  }
}
