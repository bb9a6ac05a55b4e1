package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.Vectors;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.loop.AllocatedBytes;
import sluice.gateway.process.Gateway;
import sluice.names.build.AllowedHere;

/**
 * What the event loops of a gateway allocate on the heap for a read of one recorded frame in steady
 * state, in a JVM that does nothing else: {@code LinkAllocationMain READS}. Prints a line {@code
 * from to bytes} for framings as they come and as they leave.
 */
public final class LinkAllocationMain {
  /**
   * At most; the least counts. The first are the warm-up, as many as it takes: what allocates does
   * so in each round, and on a busy machine the compiler may be late.
   */
  private static final int ROUNDS = 6;

  /** Low enough, in bytes a read, where a frame leaves as it came: less than any object. */
  private static final double LOW = 3.9;

  /** The same where a frame is framed anew: three NIO views of buffers on top. */
  private static final double LOW_WITH_VIEWS = 3 * 64 + LOW;

  /** Plain bytes of the frame. */
  private static final int LEAST = 400;

  private LinkAllocationMain() {}

  /** Measures each framing as it is, and in another. */
  @AllowedHere("a command line writes to its terminal")
  public static void main(String[] arguments) throws Exception {
    int reads = Integer.parseInt(arguments[0]);
    for (Framing from : new Framing[] {Framing.CRC, Framing.LZ4}) {
      for (String to : new String[] {"same", from == Framing.LZ4 ? "crc" : "lz4", "unprotected"}) {
        double bytes = measure(from, to, reads);
        System.out.printf(
            Locale.ROOT, "%s %s %.3f%n", from.name().toLowerCase(Locale.ROOT), to, bytes);
      }
    }
  }

  private static double measure(Framing from, String to, int reads) throws Exception {
    Vectors.Vector vector = vector(from);
    byte[] stream = vector.bytes();
    int start = new Initiate().wrap(Unpooled.wrappedBuffer(stream), 0).length();
    byte[] frame = frame(from, stream, start);
    try (ServerSocket node = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String yaml =
          """
          admin: {bind: 127.0.0.1:0}
          process: {eventLoops: 1}
          listeners: {ring: {bind: 127.0.0.1:0, protocol: internode, route: ring}}
          routes: {ring: [{pool: node}]}
          pools: {node: {protocol: internode, framing: %s, servers: ["127.0.0.1:%d"]}}
          """
              .formatted(to, node.getLocalPort());
      Gateway gateway =
          Gateways.start(Loader.parse("test.yaml", yaml).configuration())
              .await(20, TimeUnit.SECONDS);
      try {
        String at = gateway.address("ring");
        int port = Integer.parseInt(at.substring(at.lastIndexOf(':') + 1));
        try (Socket initiator = new Socket(InetAddress.getLoopbackAddress(), port)) {
          initiator.setTcpNoDelay(true);
          initiator.getOutputStream().write(stream, 0, start);
          try (Socket acceptor = node.accept()) {
            exactly(acceptor.getInputStream(), start);
            acceptor.getOutputStream().write(LinkTest.accept(vector));
            exactly(initiator.getInputStream(), LinkTest.accept(vector).length);
            double low = to.equals("same") ? LOW : LOW_WITH_VIEWS;
            return measure(initiator, acceptor.getInputStream(), frame, reads, low);
          }
        }
      } finally {
        gateway.close().await(20, TimeUnit.SECONDS); // its threads would keep the JVM alive
      }
    }
  }

  private static double measure(
      Socket initiator, InputStream in, byte[] frame, int reads, double low)
      throws IOException, InterruptedException {
    initiator.getOutputStream().write(frame);
    int length = settled(in); // what one frame leaves as
    exactly(in, length);
    double bytes = Double.MAX_VALUE;
    for (int round = 0; round < ROUNDS && bytes > low; round++) {
      long before = AllocatedBytes.ofEventLoops();
      repeat(initiator, in, frame, length, reads);
      bytes = Math.min(bytes, (AllocatedBytes.ofEventLoops() - before) / (double) reads);
    }
    return bytes;
  }

  /** How many bytes have come, once there are some and no more come for a while. */
  private static int settled(InputStream in) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    int length = 0;
    int before;
    do {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("a frame did not arrive");
      }
      before = length;
      TimeUnit.MILLISECONDS.sleep(300);
      length = in.available();
    } while (length == 0 || length != before);
    return length;
  }

  private static void repeat(Socket to, InputStream in, byte[] frame, int length, int times)
      throws IOException {
    for (int i = 0; i < times; i++) {
      to.getOutputStream().write(frame);
      exactly(in, length);
    }
  }

  private static void exactly(InputStream in, int count) throws IOException {
    if (in.readNBytes(count).length < count) {
      throw new IOException("the link was closed");
    }
  }

  /** A recorded conversation that does not begin with its shortest frames. */
  private static Vectors.Vector vector(Framing framing) {
    return Vectors.intact().stream()
        .filter(v -> v.file().endsWith(".c2s.bin") && v.reply() != null && v.hasFrames())
        .filter(v -> v.framing() == framing)
        .filter(v -> ((Number) v.frames().get(0).get(0)).intValue() > LEAST)
        .findFirst()
        .orElseThrow();
  }

  private static byte[] frame(Framing framing, byte[] stream, int start) {
    ByteBuf bytes = Unpooled.wrappedBuffer(stream);
    int length = new Frame(framing).wrap(bytes, start).length();
    return Arrays.copyOfRange(stream, start, start + length);
  }
}
