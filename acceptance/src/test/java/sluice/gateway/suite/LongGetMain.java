package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads of many keys by several clients at once, through a bridge and a pool that compresses, in a
 * JVM that does nothing else: {@code LongGetMain PORT}, PORT being a memcached's on this machine.
 */
public final class LongGetMain {
  private static final int KEYS = 60_000;
  private static final int CLIENTS = 4;
  private static final int VALUES = 600;
  private static final int PACKETS = 10_000;

  private LongGetMain() {}

  /** What is written at the top. */
  public static void main(String[] arguments) throws Exception {
    PrintStream print = System.err;
    try (InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(
          """
          admin: {bind: 127.0.0.1:0}
          process: {eventLoops: 1, memory: 32MiB}
          listeners:
            compressing: {bind: 127.0.0.1:0, route: compressing}
            bridging: {bind: 127.0.0.1:0, route: bridging}
            storing: {bind: 127.0.0.1:0, route: storing}
          routes:
            compressing: [{pool: compressing}]
            bridging: [{pool: bridging}]
            storing: [{pool: storing}]
          pools:
            compressing: {servers: ["127.0.0.1:%1$s"], timeout: 60s, compression: {above: 64B}}
            bridging: {servers: ["127.0.0.1:%1$s"], timeout: 60s, dialect: text}
            storing: {protocol: embedded, size: 8MiB}
          """
              .formatted(arguments[0]));
      readStore(gateway.address("storing"));
      byte[] get = ("get" + " a".repeat(KEYS) + "\r\n").getBytes(ISO_8859_1);
      ask(gateway.address("compressing"), get, "END\r\n".getBytes(ISO_8859_1));
      byte[] manyGets = ("get" + " a".repeat(250) + "\r\n").repeat(600).getBytes(ISO_8859_1);
      ask(gateway.address("compressing"), manyGets, "END\r\n".repeat(600).getBytes(ISO_8859_1));
      byte[] meta = ("mg a v q\r\n".repeat(PACKETS) + "mn\r\n").getBytes(ISO_8859_1);
      ask(gateway.address("compressing"), meta, "MN\r\n".getBytes(ISO_8859_1));
      ByteBuffer quiet = ByteBuffer.allocate(PACKETS * 25 + 24);
      for (int i = 0; i < PACKETS; i++) {
        quiet.put(packet(0x09, 1)).put((byte) 'a');
      }
      quiet.put(packet(0x0a, 0));
      byte[] noop = packet(0x0a, 0);
      noop[0] = (byte) 0x81;
      ask(gateway.address("bridging"), quiet.array(), noop);
      print.println("all answered");
    }
  }

  /** One large value, again and again: more than there is direct memory for. */
  private static void readStore(InetSocketAddress address) throws Exception {
    byte[] value = "x".repeat(500_000).getBytes(ISO_8859_1);
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      socket.getOutputStream().write("set k 0 0 500000\r\n".getBytes(ISO_8859_1));
      socket.getOutputStream().write(value);
      socket
          .getOutputStream()
          .write(("\r\nget" + " k".repeat(VALUES) + "\r\n").getBytes(ISO_8859_1));
      InputStream in = socket.getInputStream();
      in.readNBytes("STORED\r\n".length());
      for (int i = 0; i < VALUES; i++) {
        in.readNBytes("VALUE k 0 500000\r\n".length());
        if (!java.util.Arrays.equals(in.readNBytes(value.length), value)) {
          throw new IllegalStateException("another value than was stored");
        }
        in.readNBytes(2);
      }
      if (!new String(in.readNBytes(5), ISO_8859_1).equals("END\r\n")) {
        throw new IllegalStateException("no end");
      }
    }
  }

  private static byte[] packet(int opcode, int key) {
    return ByteBuffer.allocate(24)
        .put((byte) 0x80)
        .put((byte) opcode)
        .putShort((short) key)
        .putInt(0)
        .putInt(key)
        .array();
  }

  /** Sends the same by all clients before any reply is read. */
  private static void ask(InetSocketAddress address, byte[] request, byte[] expected)
      throws Exception {
    List<Socket> sockets = new ArrayList<>();
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Socket socket = new Socket(address.getAddress(), address.getPort());
      sockets.add(socket);
      Thread sender =
          new Thread(
              () -> {
                try {
                  socket.getOutputStream().write(request);
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      sender.start();
      senders.add(sender);
    }
    for (Socket socket : sockets) {
      InputStream in = socket.getInputStream();
      byte[] heard = in.readNBytes(expected.length);
      if (!java.util.Arrays.equals(heard, expected)) {
        throw new IllegalStateException("heard " + new String(heard, ISO_8859_1));
      }
      socket.close();
    }
    for (Thread sender : senders) {
      sender.join();
    }
  }
}
