package sluice.gateway.torture;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import sluice.codecs.memcached.binary.Opcode;

/** The binary protocol as a {@link MisbehavingServer} speaks it. */
final class FakeBinary {
  private final FakeStore store;
  private final DataInputStream in;
  private final FaultyReplies replies;
  private boolean used;

  private int opcode;
  private int opaque;

  FakeBinary(FakeStore store, InputStream in, FaultyReplies replies) {
    this.store = store;
    this.in = new DataInputStream(in);
    this.replies = replies;
  }

  void serve() throws IOException {
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
    byte[] body = new byte[bodyLength];
    in.readFully(body);
    used |= opcode != Opcode.NOOP && opcode != Opcode.VERSION;
    Bytes fields = new Bytes().bytes(body);
    String key = new String(body, extrasLength, keyLength, StandardCharsets.ISO_8859_1);
    int loud = Opcode.loud(opcode);
    boolean quiet = loud != opcode;
    switch (loud) {
      case Opcode.GET, Opcode.GETK, Opcode.GAT, Opcode.GATK -> get(loud, key, quiet);
      case Opcode.SET, Opcode.ADD, Opcode.REPLACE -> {
        byte[] value = fields.slice(extrasLength + keyLength, bodyLength);
        set(loud, key, fields.int32At(0), value, quiet);
      }
      case Opcode.DELETE -> {
        boolean deleted = store.delete(key);
        if (!deleted || !quiet) {
          status(deleted ? Opcode.STATUS_OK : Opcode.STATUS_NOT_FOUND);
        }
      }
      case Opcode.TOUCH -> {
        FakeStore.Item item = store.get(key);
        if (item == null) {
          status(Opcode.STATUS_NOT_FOUND);
        } else {
          say(0, item.cas(), new Bytes().int32(item.flags()), "", new byte[0]);
        }
      }
      case Opcode.NOOP -> status(Opcode.STATUS_OK);
      case Opcode.VERSION ->
          say(0, 0, new Bytes(), "", "1.6.18".getBytes(StandardCharsets.ISO_8859_1));
      case Opcode.QUIT -> {
        if (!quiet) {
          status(Opcode.STATUS_OK);
        }
        return false;
      }
      default -> status(Opcode.STATUS_UNKNOWN_COMMAND);
    }
    return true;
  }

  private void get(int loud, String key, boolean quiet) {
    boolean withKey = loud == Opcode.GETK || loud == Opcode.GATK;
    FakeStore.Item item = store.get(key);
    if (item != null) {
      say(
          Opcode.STATUS_OK,
          item.cas(),
          new Bytes().int32(item.flags()),
          withKey ? key : "",
          item.value());
    } else if (!quiet) {
      if (withKey) {
        say(Opcode.STATUS_NOT_FOUND, 0, new Bytes(), key, new byte[0]);
      } else {
        status(Opcode.STATUS_NOT_FOUND);
      }
    }
  }

  private void set(int loud, String key, int flags, byte[] value, boolean quiet) {
    Expectation.Mode mode =
        switch (loud) {
          case Opcode.ADD -> Expectation.Mode.ADD;
          case Opcode.REPLACE -> Expectation.Mode.REPLACE;
          default -> Expectation.Mode.SET;
        };
    FakeStore.Item item = store.store(mode, key, flags, value, false);
    if (item == null) {
      status(mode == Expectation.Mode.ADD ? Opcode.STATUS_EXISTS : Opcode.STATUS_NOT_FOUND);
    } else if (!quiet) {
      say(Opcode.STATUS_OK, item.cas(), new Bytes(), "", new byte[0]);
    }
  }

  private void status(int status) {
    String text =
        switch (status) {
          case Opcode.STATUS_OK -> "";
          case Opcode.STATUS_NOT_FOUND -> "Not found";
          case Opcode.STATUS_EXISTS -> "Data exists for key.";
          default -> "Unknown command";
        };
    say(status, 0, new Bytes(), "", text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private void say(int status, long cas, Bytes extras, String key, byte[] value) {
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
