package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.testkit.Opcode;

/**
 * Model of an Apache Ignite node's connector, for the requests that gateways send it (Ignite
 * 2.18.0, {@code GridTcpMemcachedNioListener}). It closes a connection for anything else.
 */
final class IgniteProgram implements Program {
  private static final int REQUEST = 0x80;
  private static final int REPLY = 0x81;
  private static final int HEADER = 24;
  private static final int OPCODE = 1;
  private static final int KEY_LENGTH = 2;
  private static final int EXTRAS_LENGTH = 4;
  private static final int BODY_LENGTH = 8;
  private static final int OPAQUE = 12;
  private static final int STAT = 0x10;
  private static final int DONE = 0;
  private static final int MISS = 1;
  private static final int FAILURE = 4;
  private static final int VALUE_TYPE = 0xFFFF;
  private static final int STRING = 0;
  private static final byte[] VERSION = "2.18.0".getBytes(ISO_8859_1);

  private static final ByteBuffer NO_EXTRAS = ByteBuffer.allocate(0);

  private record Item(int flags, byte[] value) {}

  private final class IgniteSession extends ClosableSession {
    private final ByteArrayOutputStream replies = new ByteArrayOutputStream();
    private byte[] arrived = {};

    @Override
    public byte[] receive(byte[] bytes) {
      ByteBuffer all = ByteBuffer.allocate(arrived.length + bytes.length).put(arrived).put(bytes);
      all.flip();
      replies.reset();
      while (!closed && all.remaining() >= HEADER) {
        int from = all.position();
        int length = HEADER + all.getInt(from + BODY_LENGTH);
        if (all.remaining() < length) {
          break;
        }
        closed = (all.get(from) & 0xFF) != REQUEST || !answer(all.slice(from, length));
        all.position(from + length);
      }
      arrived = new byte[all.remaining()];
      all.get(arrived);
      return replies.toByteArray();
    }

    /** Carries out a request; returns whether the connection stays open. */
    private boolean answer(ByteBuffer packet) {
      int keyAt = HEADER + packet.get(EXTRAS_LENGTH);
      int valueAt = keyAt + packet.getShort(KEY_LENGTH);
      String key =
          new String(packet.array(), packet.arrayOffset() + keyAt, valueAt - keyAt, ISO_8859_1);
      byte[] value = new byte[packet.limit() - valueAt];
      packet.get(valueAt, value);
      switch (packet.get(OPCODE)) {
        case Opcode.GET, Opcode.GETK -> get(packet, key);
        case Opcode.SET -> store(packet, key, value, value.length > 0);
        case Opcode.ADD -> store(packet, key, value, value.length > 0 && !items.containsKey(key));
        case Opcode.REPLACE ->
            store(packet, key, value, value.length > 0 && items.containsKey(key));
        case Opcode.DELETE -> status(packet, items.remove(key) == null ? FAILURE : DONE);
        case Opcode.NOOP -> status(packet, DONE);
        case Opcode.VERSION -> reply(packet, DONE, NO_EXTRAS, "", VERSION);
        case Opcode.APPEND, Opcode.PREPEND -> join(packet, key, value);
        case Opcode.INCREMENT, Opcode.DECREMENT -> count(packet, key);
        case STAT -> status(packet, DONE); // which ends a list without statistics
        default -> {
          return false;
        }
      }
      return true;
    }

    private void get(ByteBuffer packet, String key) {
      Item item = items.get(key);
      String told = packet.get(OPCODE) == Opcode.GETK ? key : "";
      int flags = item == null ? 0 : item.flags();
      byte[] value = item == null ? new byte[0] : item.value();
      ByteBuffer extras = ByteBuffer.allocate(Integer.BYTES).putInt(flags).flip();
      reply(packet, item == null ? MISS : DONE, extras, told, value);
    }

    private void store(ByteBuffer packet, String key, byte[] value, boolean stores) {
      if (stores) {
        items.put(key, new Item(packet.getInt(HEADER), value));
      }
      status(packet, stores ? DONE : FAILURE);
    }

    // Only strings can be joined.
    private void join(ByteBuffer packet, String key, byte[] added) {
      Item item = items.get(key);
      if (item == null || (item.flags() & VALUE_TYPE) != STRING) {
        status(packet, FAILURE);
        return;
      }
      boolean front = packet.get(OPCODE) == Opcode.PREPEND;
      byte[] first = front ? added : item.value();
      byte[] second = front ? item.value() : added;
      byte[] all = Arrays.copyOf(first, first.length + second.length);
      System.arraycopy(second, 0, all, first.length, second.length);
      items.put(key, new Item(item.flags(), all));
      status(packet, DONE);
    }

    // Numbers are no items. A new one begins with the initial value, to which the delta is added.
    private void count(ByteBuffer packet, String key) {
      long delta = packet.getLong(HEADER);
      long change = packet.get(OPCODE) == Opcode.INCREMENT ? delta : -delta;
      long number = numbers.getOrDefault(key, packet.getLong(HEADER + Long.BYTES)) + change;
      numbers.put(key, number);
      byte[] told = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
      reply(packet, DONE, NO_EXTRAS, "", told);
    }

    private void status(ByteBuffer packet, int status) {
      reply(packet, status, NO_EXTRAS, "", new byte[0]);
    }

    private void reply(ByteBuffer packet, int status, ByteBuffer extras, String key, byte[] value) {
      int body = extras.remaining() + key.length() + value.length;
      ByteBuffer reply = ByteBuffer.allocate(HEADER + body);
      reply.put((byte) REPLY).put(packet.get(OPCODE)).putShort((short) key.length());
      reply.put((byte) extras.remaining()).put((byte) 0).putShort((short) status).putInt(body);
      reply.putInt(packet.getInt(OPAQUE)).putLong(0);
      reply.put(extras.duplicate()).put(key.getBytes(ISO_8859_1)).put(value);
      replies.writeBytes(reply.array());
    }
  }

  private final Map<String, Item> items = new HashMap<>();
  private final Map<String, Long> numbers = new HashMap<>(); // atomic longs

  @Override
  public Session connect(int port) {
    return new IgniteSession();
  }

  @Override
  public byte @Nullable [] value(String key) {
    Item item = items.get(key);
    return item == null ? null : item.value();
  }

  @Override
  public void close() {
    items.clear();
    numbers.clear();
  }
}
