package sluice.testkit.misbehaving;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import sluice.testkit.Bytes;
import sluice.testkit.Opcode;

/**
 * Apache Ignite's dialect of a {@link MisbehavingServer}. It behaves like {@code
 * GridTcpMemcachedNioListener}, except that values keep their flags unchecked. It closes the
 * connection whenever a node does, and for requests that must not be sent.
 */
final class FakeIgnite extends FakePackets {
  private static final int MISS = 1;
  private static final int FAILURE = 4;

  private final FakeStore store;

  FakeIgnite(FakeStore store, InputStream in, FaultyReplies replies) {
    super(in, replies);
    this.store = store;
  }

  @Override
  boolean answer(Bytes extras, String key, byte[] value) {
    switch (opcode) {
      case Opcode.GET, Opcode.GETK -> get(key);
      case Opcode.SET, Opcode.ADD, Opcode.REPLACE ->
          status(
              value.length > 0
                  && store.store(mode(), key, extras.int32At(0), value, false) != null);
      case Opcode.DELETE -> status(store.delete(key));
      case Opcode.INCREMENT ->
          number(store.count(key, extras.int64At(0), extras.int64At(Long.BYTES)));
      case Opcode.DECREMENT ->
          number(store.count(key, -extras.int64At(0), extras.int64At(Long.BYTES)));
      case Opcode.NOOP -> status(true);
      case Opcode.VERSION -> body("2.18.0".getBytes(StandardCharsets.ISO_8859_1));
      default -> {
        return false;
      }
    }
    return true;
  }

  private void get(String key) {
    FakeStore.Item item = store.get(key);
    String told = opcode == Opcode.GETK ? key : "";
    say(
        item == null ? MISS : 0,
        0,
        new Bytes().int32(item == null ? 0 : item.flags()),
        told,
        item == null ? new byte[0] : item.value());
  }

  private void number(long number) {
    body(new Bytes().int64(number).toArray());
  }

  private void body(byte[] value) {
    say(0, 0, new Bytes(), "", value);
  }

  private void status(boolean done) {
    say(done ? 0 : FAILURE, 0, new Bytes(), "", new byte[0]);
  }
}
