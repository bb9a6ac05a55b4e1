package sluice.gateway.values;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.loop.AllocatedBytes;
import sluice.gateway.process.Gateway;

/**
 * What a gateway whose pool compresses takes for values that are set and read, in a JVM that does
 * nothing else but be its client: {@code CompressedMemoryMain PORT ALGORITHM VALUES LENGTH}, PORT
 * being that of a memcached on this machine. Prints bytes of heap that the event loops allocated a
 * request, and Netty's direct memory before, behind and, the most, in between.
 */
public final class CompressedMemoryMain {
  private static final int WARM_UP = 1_000;

  /** The heap counts of the best of so many rounds; fewer when there are very many values. */
  private static final int ROUNDS = 30;

  private static final int MOST_VALUES = 100_000;

  /** So few bytes of heap a request end the measurement. */
  private static final double LOW = 50;

  private static final int KEYS = 10;

  private final InputStream in;
  private final OutputStream out;
  private final byte[][] requests = new byte[KEYS][];
  private final byte[][] reads = new byte[KEYS][];
  private final byte[][] replies = new byte[KEYS][];
  private final byte[] heard;
  private long mostDirect;

  private CompressedMemoryMain(Socket socket, int length) throws IOException {
    in = socket.getInputStream();
    out = socket.getOutputStream();
    Random random = new Random(1);
    for (int key = 0; key < KEYS; key++) {
      StringBuilder text = new StringBuilder(length + 20);
      while (text.length() < length) {
        text.append("name").append(random.nextInt(10_000)).append("=value;");
      }
      text.setLength(length);
      requests[key] = "set k%d 5 0 %d\r\n%s\r\n".formatted(key, length, text).getBytes(ISO_8859_1);
      reads[key] = "get k%d\r\n".formatted(key).getBytes(ISO_8859_1);
      replies[key] =
          "STORED\r\nVALUE k%d 5 %d\r\n%s\r\nEND\r\n"
              .formatted(key, length, text)
              .getBytes(ISO_8859_1);
    }
    heard = new byte[replies[0].length];
  }

  /** What is written at the top. */
  public static void main(String[] arguments) throws Exception {
    PrintStream print = System.err;
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, protocol: memcached, route: cache}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {servers: ["127.0.0.1:%s"], timeout: 10s, compression: {algorithm: %s}}}
        """
            .formatted(arguments[0], arguments[1]);
    Gateway gateway =
        Gateways.start(Loader.parse("test.yaml", yaml).configuration()).await(20, TimeUnit.SECONDS);
    try {
      String at = gateway.address("cache");
      int port = Integer.parseInt(at.substring(at.lastIndexOf(':') + 1));
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setTcpNoDelay(true);
        new CompressedMemoryMain(socket, Integer.parseInt(arguments[3]))
            .run(Integer.parseInt(arguments[2]), print);
      }
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS); // its threads would keep the JVM alive
    }
  }

  private void run(int values, PrintStream print) throws IOException, InterruptedException {
    work(WARM_UP);
    long direct = PlatformDependent.usedDirectMemory();
    mostDirect = direct;
    double heap = Double.MAX_VALUE;
    int rounds = Math.max(1, Math.min(ROUNDS, MOST_VALUES / values));
    for (int round = 0; round < rounds && heap > LOW; round++) {
      // on a busy machine the compiler may be late: it gets time to catch up
      TimeUnit.MILLISECONDS.sleep(round == 0 ? 0 : 200);
      long before = AllocatedBytes.ofEventLoops();
      work(values);
      heap = Math.min(heap, (AllocatedBytes.ofEventLoops() - before) / (2.0 * values));
    }
    print.printf(Locale.ROOT, "heap %.1f%n", heap);
    print.printf("direct %d %d %d%n", direct, PlatformDependent.usedDirectMemory(), mostDirect);
  }

  private void work(int values) throws IOException {
    for (int i = 0; i < values; i++) {
      int key = i % KEYS;
      out.write(requests[key]);
      out.write(reads[key]);
      if (in.readNBytes(heard, 0, heard.length) < heard.length
          || !Arrays.equals(heard, replies[key])) {
        throw new IllegalStateException(
            "not what was stored: " + new String(heard, 0, 100, ISO_8859_1));
      }
      mostDirect = Math.max(mostDirect, PlatformDependent.usedDirectMemory());
    }
  }
}
