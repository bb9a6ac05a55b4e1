package sluice.testkit.misbehaving;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import sluice.testkit.Bytes;
import sluice.testkit.Opcode;

/** Packet reader of a {@link MisbehavingServer}, for the binary protocol and Ignite's dialect. */
abstract class FakePackets {
  private final DataInputStream in;
  private final FaultyReplies replies;
  private boolean used;
  private int opaque;

  /** The opcode of the current request. */
  int opcode;

  FakePackets(InputStream in, FaultyReplies replies) {
    this.in = new DataInputStream(in);
    this.replies = replies;
  }

  /**
   * Carries out one request and answers it.
   *
   * @param extras with their own start and end, as is value
   * @return false to close the connection
   */
  abstract boolean answer(Bytes extras, String key, byte[] value);

  final void serve() throws IOException {
    try {
      while (in.readUnsignedByte() == 0x80 && request()) {
        if (in.available() == 0) {
          replies.flush();
        }
      }
    } catch (EOFException e) {
      // the usual end
    }
    replies.flush();
  }

  private boolean request() throws IOException {
    opcode = in.readUnsignedByte();
    int keyLength = in.readUnsignedShort();
    int extrasLength = in.readUnsignedByte();
    in.skipBytes(3);
    int bodyLength = in.readInt();
    opaque = in.readInt();
    in.readLong();
    if (bodyLength < keyLength + extrasLength || bodyLength > 64 << 20) {
      return false;
    }
    Bytes extras = new Bytes().bytes(in.readNBytes(extrasLength));
    String key = new String(in.readNBytes(keyLength), StandardCharsets.ISO_8859_1);
    byte[] value = in.readNBytes(bodyLength - extrasLength - keyLength);
    if (extrasLength + keyLength + value.length < bodyLength) {
      throw new EOFException();
    }
    used |= opcode != Opcode.NOOP && opcode != Opcode.VERSION;
    return answer(extras, key, value);
  }

  /** The condition for storing a value. */
  final FakeStore.Mode mode() {
    return switch (Opcode.loud(opcode)) {
      case Opcode.ADD -> FakeStore.Mode.ADD;
      case Opcode.REPLACE -> FakeStore.Mode.REPLACE;
      default -> FakeStore.Mode.SET;
    };
  }

  final void say(int status, long cas, Bytes extras, String key, byte[] value) {
    Bytes reply =
        new Bytes()
            .int8(0x81)
            .int8(opcode)
            .int16(key.length())
            .int8(extras.length())
            .int8(0)
            .int16(status)
            .int32(extras.length() + key.length() + value.length)
            .int32(opaque)
            .int64(cas)
            .bytes(extras.toArray())
            .ascii(key)
            .bytes(value);
    replies.reply(reply.toArray(), true, true, !used);
  }
}
