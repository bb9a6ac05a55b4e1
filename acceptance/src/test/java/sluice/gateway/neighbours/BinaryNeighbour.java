package sluice.gateway.neighbours;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.Random;
import sluice.testkit.hostile.Bytes;

/** A neighbour of the binary protocol. */
final class BinaryNeighbour extends Neighbour {
  private static final byte GET = 0x00;
  private static final byte SET = 0x01;
  private static final byte DELETE = 0x04;
  private static final byte NOOP = 0x0a;
  private static final byte[] NOTHING = {};
  private static final byte[] NOT_FOUND = Bytes.of("Not found");

  private int count;

  BinaryNeighbour(String name, InetSocketAddress address, Selector selector) throws IOException {
    super(name, address, selector);
  }

  @Override
  void ask(Random random) {
    String key = key(random);
    String held = truth.get(key);
    count++;
    switch (random.nextInt(4)) {
      case 0 -> {
        String value = name() + " holds " + count;
        truth.put(key, value);
        add(
            packet(0x80, SET, 0, new byte[] {0, 0, 0, 7, 0, 0, 0, 0}, key, Bytes.of(value)),
            Expected.packet(packet(0x81, SET, 0, NOTHING, "", NOTHING)));
      }
      case 1 -> {
        truth.remove(key);
        add(packet(0x80, DELETE, 0, NOTHING, key, NOTHING), found(held, DELETE, NOTHING, ""));
      }
      case 2 ->
          add(
              packet(0x80, NOOP, 0, NOTHING, "", NOTHING),
              Expected.packet(packet(0x81, NOOP, 0, NOTHING, "", NOTHING)));
      default ->
          add(
              packet(0x80, GET, 0, NOTHING, key, NOTHING),
              found(held, GET, new byte[] {0, 0, 0, 7}, held));
    }
  }

  private Expected found(String held, byte opcode, byte[] extras, String value) {
    return Expected.packet(
        held == null
            ? packet(0x81, opcode, 1, NOTHING, "", NOT_FOUND)
            : packet(0x81, opcode, 0, extras, "", Bytes.of(value)));
  }

  private byte[] packet(
      int magic, byte opcode, int status, byte[] extras, String key, byte[] value) {
    ByteBuffer packet = ByteBuffer.allocate(24 + extras.length + key.length() + value.length);
    packet.put((byte) magic).put(opcode).putShort((short) key.length());
    packet.put((byte) extras.length).put((byte) 0).putShort((short) status);
    packet.putInt(packet.capacity() - 24).putInt(count).putLong(0);
    return packet.put(extras).put(Bytes.of(key)).put(value).array();
  }
}
