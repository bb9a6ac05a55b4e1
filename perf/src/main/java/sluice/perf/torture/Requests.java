package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigInteger;
import java.util.Base64;
import java.util.function.Consumer;
import sluice.codecs.memcached.binary.Opcode;
import sluice.perf.torture.Sent.Form;
import sluice.perf.torture.Sent.Write;

/** What a gateway asks a server: classic text and meta lines, or binary packets. */
final class Requests extends Stream {
  private static final int HEADER = 24;
  private static final byte MAGIC = (byte) 0x80;
  private static final String CHUNK = ":split:";

  private final Consumer<Sent> sent;

  Requests(Consumer<Sent> sent) {
    this.sent = sent;
  }

  @Override
  boolean isHead(byte[] bytes, int count) {
    if (bytes[0] != MAGIC) {
      return bytes[count - 1] == '\n';
    }
    return count >= HEADER && count == HEADER + beforeValue(bytes);
  }

  private static int beforeValue(byte[] packet) {
    return (packet[4] & 0xff) + uint16(packet, 2);
  }

  @Override
  long take(byte[] bytes, int count) {
    return bytes[0] == MAGIC ? packet(bytes) : line(new String(bytes, 0, count, ISO_8859_1));
  }

  private long packet(byte[] packet) {
    int opcode = packet[1];
    Write write =
        switch (Opcode.loud(opcode)) {
          case Opcode.SET, Opcode.ADD, Opcode.REPLACE -> Write.STORE;
          case Opcode.DELETE -> Write.DELETE;
          default -> Write.NOTHING;
        };
    int extras = packet[4] & 0xff;
    int keyLength = uint16(packet, 2);
    if (write == Write.NOTHING) {
      sent.accept(Sent.read(Form.PACKET, int32(packet, 12)));
    } else {
      String key = new String(packet, HEADER + extras, keyLength, ISO_8859_1);
      int flags = write == Write.STORE ? int32(packet, HEADER) : 0;
      write(Form.PACKET, write, key, flags, int32(packet, 12));
    }
    return (long) int32(packet, 8) - extras - keyLength;
  }

  private long line(String line) {
    String[] tokens = line.stripTrailing().split(" ", -1);
    switch (tokens[0]) {
      case "set", "add", "replace", "cas", "append", "prepend" -> {
        boolean flagged = !tokens[0].endsWith("pend");
        write(
            Form.LINE,
            flagged ? Write.STORE : Write.NOTHING,
            tokens[1],
            flagged ? flags(tokens[2]) : 0);
        return Long.parseLong(tokens[4]) + 2;
      }
      case "delete" -> write(Form.LINE, Write.DELETE, tokens[1], 0);
      case "get", "gets", "gat", "gats", "stats" -> sent.accept(Sent.read(Form.VALUES, 0));
      case "mg", "ma" -> sent.accept(Sent.read(Form.META, 0));
      case "md" -> write(Form.META, Write.DELETE, metaKey(tokens, 2), 0);
      case "ms" -> {
        int flags = 0;
        boolean adds = false;
        for (int i = 3; i < tokens.length; i++) {
          if (tokens[i].startsWith("F")) {
            flags = flags(tokens[i].substring(1));
          }
          adds |= tokens[i].equals("MA") || tokens[i].equals("MP");
        }
        write(Form.META, adds ? Write.NOTHING : Write.STORE, metaKey(tokens, 3), flags);
        return Long.parseLong(tokens[2]) + 2;
      }
      default -> sent.accept(Sent.read(Form.LINE, 0));
    }
    return 0;
  }

  private void write(Form form, Write write, String key, int flags) {
    write(form, write, key, flags, 0);
  }

  /** Chunks of values are no client's keys: their head says which value they belong to. */
  private void write(Form form, Write write, String key, int flags, int opaque) {
    sent.accept(
        key.contains(CHUNK)
            ? Sent.read(form, opaque)
            : new Sent(form, write, key, flags, opaque, System.nanoTime()));
  }

  // Servers take more than 32 bits, and keep the lower ones.
  private static int flags(String digits) {
    return new BigInteger(digits).intValue();
  }

  private static String metaKey(String[] tokens, int firstFlag) {
    for (int i = firstFlag; i < tokens.length; i++) {
      if (tokens[i].equals("b")) {
        return new String(Base64.getDecoder().decode(tokens[1]), ISO_8859_1);
      }
    }
    return tokens[1];
  }

  static int uint16(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
  }

  static int int32(byte[] bytes, int at) {
    return uint16(bytes, at) << 16 | uint16(bytes, at + 2);
  }
}
