package sluice.testkit.misbehaving;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import sluice.testkit.Bytes;
import sluice.testkit.Opcode;

/** Binary protocol of a {@link MisbehavingServer}. */
final class FakeBinary extends FakePackets {
  private final FakeStore store;

  FakeBinary(FakeStore store, InputStream in, FaultyReplies replies) {
    super(in, replies);
    this.store = store;
  }

  @Override
  boolean answer(Bytes extras, String key, byte[] value) {
    int loud = Opcode.loud(opcode);
    boolean quiet = loud != opcode;
    switch (loud) {
      case Opcode.GET, Opcode.GETK, Opcode.GAT, Opcode.GATK -> get(loud, key, quiet);
      case Opcode.SET, Opcode.ADD, Opcode.REPLACE -> set(key, extras.int32At(0), value, quiet);
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

  private void set(String key, int flags, byte[] value, boolean quiet) {
    FakeStore.Mode mode = mode();
    FakeStore.Item item = store.store(mode, key, flags, value, false);
    if (item == null) {
      status(mode == FakeStore.Mode.ADD ? Opcode.STATUS_EXISTS : Opcode.STATUS_NOT_FOUND);
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
}
