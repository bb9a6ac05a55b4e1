package sluice.gateway.differential;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A request of the binary protocol.
 *
 * @param extras flags, expiration, delta and initial value: those that the opcode has
 * @param key null where it has none
 * @param surplus zeros behind the extras, which a wrong request has
 */
record PacketOperation(
    int number,
    Opcode opcode,
    boolean isQuiet,
    int opaque,
    Extras extras,
    Key key,
    Cas cas,
    Value value,
    int surplus,
    Answer answer,
    boolean startsBatch)
    implements Operation {

  /** Numbers of a request; those that its opcode does not have are 0. */
  record Extras(int flags, int expiration, long delta, long initial) {
    static final Extras NONE = new Extras(0, 0, 0, 0);

    static Extras expiring(int expiration) {
      return new Extras(0, expiration, 0, 0);
    }
  }

  private static final int HEADER = 24;

  /** NOOP, which is answered when all before it is. */
  static PacketOperation noop(int number) {
    return new PacketOperation(
        number,
        Opcode.NOOP,
        false,
        number,
        Extras.NONE,
        null,
        Cas.NONE,
        null,
        0,
        Answer.ALWAYS,
        false);
  }

  @Override
  public String command() {
    return opcode + (isQuiet ? "Q" : "");
  }

  @Override
  public List<Key> keys() {
    return key == null ? List.of() : List.of(key);
  }

  @Override
  public PacketOperation startingBatch() {
    return new PacketOperation(
        number, opcode, isQuiet, opaque, extras, key, cas, value, surplus, answer, true);
  }

  @Override
  public PacketOperation answering(Answer other) {
    return new PacketOperation(
        number, opcode, isQuiet, opaque, extras, key, cas, value, surplus, other, startsBatch);
  }

  /** The same request with other extras. */
  PacketOperation with(Extras other) {
    return new PacketOperation(
        number, opcode, isQuiet, opaque, other, key, cas, value, surplus, answer, startsBatch);
  }

  /** The same request by another opcode. */
  PacketOperation with(Opcode other) {
    return new PacketOperation(
        number, other, isQuiet, opaque, extras, key, cas, value, surplus, answer, startsBatch);
  }

  @Override
  public void write(ByteArrayOutputStream out, long unique) {
    byte[] keyBytes = key == null ? new byte[0] : key.raw().getBytes(StandardCharsets.ISO_8859_1);
    byte[] valueBytes = value == null ? new byte[0] : value.bytes();
    ByteBuffer head = ByteBuffer.allocate(HEADER + 20);
    head.position(HEADER);
    boolean bare = opcode == Opcode.FLUSH && extras.expiration() == 0; // the extras are optional
    for (char field : (bare ? "" : opcode.extras).toCharArray()) {
      switch (field) {
        case 'f' -> head.putInt(extras.flags());
        case 'e' -> head.putInt(extras.expiration());
        case 'd' -> head.putLong(extras.delta());
        default -> head.putLong(extras.initial());
      }
    }
    for (int i = 0; i < surplus; i++) {
      head.put((byte) 0);
    }
    int extrasLength = head.position() - HEADER;
    head.put(0, (byte) 0x80);
    head.put(1, (byte) (isQuiet ? opcode.quiet : opcode.loud));
    head.putShort(2, (short) keyBytes.length);
    head.put(4, (byte) extrasLength);
    head.putInt(8, extrasLength + keyBytes.length + valueBytes.length);
    head.putInt(12, opaque);
    head.putLong(16, unique);
    out.write(head.array(), 0, head.position());
    out.writeBytes(keyBytes);
    out.writeBytes(valueBytes);
  }

  @Override
  public String toString() {
    return command()
        + (key == null ? "" : " " + key)
        + (opcode.extras.isEmpty() ? "" : " " + extras)
        + (opaque == number ? "" : String.format(" opaque %08x", opaque))
        + (cas == Cas.NONE ? "" : " (cas " + cas + ")")
        + (value == null ? "" : " <- " + value)
        + (surplus == 0 ? "" : " with " + surplus + " bytes too many")
        + (answer == Answer.FENCED ? " (fenced)" : "");
  }
}
