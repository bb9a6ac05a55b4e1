package sluice.gateway.torture;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import sluice.config.Loader;
import sluice.gateway.Gateway;

/**
 * What the event loops of a gateway allocate on the heap for a request in steady state, in a JVM
 * that does nothing else: {@code AllocationMain POOL WARM_UP REQUESTS [NAME]}, POOL being the YAML
 * of a pool. Prints a line {@code name depth bytes} for each kind of request and depth (bytes per
 * request), and one for what the loops allocate a second when there is none.
 */
public final class AllocationMain {
  private static final int[] DEPTHS = {16, 1};

  /** At most; the least counts: on a busy machine the compiler may be late. */
  private static final int ROUNDS = 5;

  private static final String FENCE_REPLY = "\u0081\n" + "\0".repeat(13) + "\7" + "\0".repeat(8);
  private static final String VALUE = "v".repeat(100);
  private static final String LARGER = "w".repeat(4096);

  /** Requests that are repeated; the gateway answers each as often as it is sent, always alike. */
  private enum Scenario {
    GET_HIT("get hit\r\n", "VALUE hit"),
    GET_4K("get larger\r\n", "VALUE larger"),
    GET_MISS("get missing\r\n", "END"),
    GETS("gets hit\r\n", "VALUE hit"),
    SET("set written 0 0 100\r\n" + VALUE + "\r\n", "STORED"),
    SET_4K("set written 0 0 4096\r\n" + LARGER + "\r\n", "STORED"),
    SET_NOREPLY("set written 0 0 100 noreply\r\n" + VALUE + "\r\nmn\r\n", "MN"),
    MG("mg hit v f s k c\r\n", "VA 100"),
    MG_OPAQUE("mg hit v Oabc q\r\nmn\r\n", "VA 100"),
    MG_MISS("mg missing v\r\n", "EN"),
    MS("ms written 100 T0\r\n" + VALUE + "\r\n", "HD"),
    INCR("incr number 1\r\n", "1"),
    DELETE_MISS("delete missing\r\n", "NOT_FOUND"),
    SET_AND_DELETE("set d 0 0 100\r\n" + VALUE + "\r\ndelete d\r\n", "STORED\r\nDELETED"),
    TOUCH("touch hit 0\r\n", "TOUCHED"),
    MULTI_GET("get k0 k1 k2 k3 k4 k5 k6 k7 k8 k9\r\n", "VALUE k0"),
    BINARY_GET(packet(0x00, "", "hit", ""), 0),
    BINARY_GET_MISS(packet(0x00, "", "missing", ""), 1),
    BINARY_SET(packet(0x01, "\0\0\0\0\0\0\0\0", "written", VALUE), 0),
    BINARY_QUIET(
        packet(0x11, "\0\0\0\0\0\0\0\0", "written", VALUE) + packet(0x0d, "", "hit", ""), 0);

    private final String request;
    private final String reply;
    private final int status;

    Scenario(String request, String reply) {
      this.request = request;
      this.reply = reply;
      status = -1;
    }

    Scenario(String packets, int status) {
      request = packets;
      reply = null;
      this.status = status;
    }

    private static String packet(int opcode, String extras, String key, String value) {
      Bytes bytes = new Bytes().int8(0x80).int8(opcode).int16(key.length()).int8(extras.length());
      bytes.int8(0).int16(0).int32(extras.length() + key.length() + value.length());
      bytes.int32(7).int64(0).ascii(extras).ascii(key).ascii(value);
      return bytes.string(0, bytes.end);
    }

    byte[] fence() {
      return new Bytes().ascii(reply == null ? packet(0x0a, "", "", "") : "mn\r\n").toArray();
    }

    byte[] fenceReply() {
      return new Bytes().ascii(reply == null ? FENCE_REPLY : "MN\r\n").toArray();
    }

    boolean isRight(byte[] bytes) {
      return reply == null
          ? bytes[0] == (byte) 0x81 && bytes[7] == status
          : new Bytes().bytes(bytes).string(0, bytes.length).startsWith(reply);
    }
  }

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final InetSocketAddress address;

  private AllocationMain(InetSocketAddress address) {
    this.address = address;
  }

  /** Runs one measurement. */
  @AllowedHere
  public static void main(String[] arguments) throws Exception {
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, protocol: memcached, route: cache}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: %s}
        """
            .formatted(arguments[0]);
    Gateway gateway =
        Gateway.start(Loader.parse("test.yaml", yaml).configuration()).await(20, TimeUnit.SECONDS);
    try {
      String at = gateway.address("cache");
      int colon = at.lastIndexOf(':');
      InetSocketAddress address =
          new InetSocketAddress(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)));
      new AllocationMain(address)
          .run(
              Integer.parseInt(arguments[1]),
              Integer.parseInt(arguments[2]),
              arguments.length > 3 ? arguments[3] : "",
              System.out);
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS); // its threads would keep the JVM alive
    }
  }

  private void run(int warmUp, int requests, String only, PrintStream out) throws Exception {
    try (RawClient client = new RawClient(address)) {
      client.ask("set hit 0 0 100\r\n" + VALUE + "\r\n");
      client.ask("set larger 0 0 4096\r\n" + LARGER + "\r\n");
      client.ask("set number 0 0 10\r\n1000000000\r\n");
      for (int key = 0; key < 10; key++) {
        client.ask("set k" + key + " 0 0 100\r\n" + VALUE + "\r\n");
      }
    }
    for (Scenario scenario : Scenario.values()) {
      if (scenario.name().startsWith(only)) {
        for (int depth : DEPTHS) {
          try (RawClient client = new RawClient(address)) {
            Batch batch = new Batch(client, scenario, depth);
            int times = depth == 1 ? requests / 4 : requests / depth; // one at a time takes longest
            batch.repeat(warmUp * times / requests);
            double bytes = Double.MAX_VALUE;
            for (int round = 0; round < ROUNDS && bytes > 2; round++) {
              long before = allocated();
              batch.repeat(times);
              bytes = Math.min(bytes, (allocated() - before) / (double) times / depth);
            }
            batch.end();
            out.printf(Locale.ROOT, "%s %d %.3f%n", scenario, depth, bytes);
          }
        }
      }
    }
    long before = allocated();
    TimeUnit.SECONDS.sleep(2);
    out.printf(Locale.ROOT, "IDLE 0 %.3f%n", (allocated() - before) / 2.0);
  }

  /** Bytes that the event loops' threads have allocated. */
  private long allocated() {
    long[] ids =
        Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
            .filter(thread -> thread.getThreadName().startsWith("vert.x-eventloop"))
            .mapToLong(ThreadInfo::getThreadId)
            .toArray();
    return Arrays.stream(threads.getThreadAllocatedBytes(ids)).sum();
  }

  /** A batch of one request over and over, sent in one write, then all its replies read. */
  private static final class Batch {
    private final RawClient client;
    private final Scenario scenario;
    private final byte[] requests;
    private final byte[] replies;

    Batch(RawClient client, Scenario scenario, int depth) throws IOException {
      this.client = client;
      this.scenario = scenario;
      Bytes all = new Bytes();
      for (int i = 0; i < depth; i++) {
        all.ascii(scenario.request);
      }
      requests = all.toArray();
      replies = learn();
      if (!scenario.isRight(replies)) {
        throw new IllegalStateException(scenario + ": " + new Bytes().bytes(replies).excerpt());
      }
    }

    /** What a batch is answered: all up to the reply to a fence behind it. */
    private byte[] learn() throws IOException {
      byte[] fence = scenario.fenceReply();
      int fences = count(requests, scenario.fence()) + 1; // some requests have one of their own
      client.send(new Bytes().bytes(requests).bytes(scenario.fence()).toArray());
      Bytes all = new Bytes();
      do {
        all.bytes(client.readSome());
      } while (count(all.toArray(), fence) < fences);
      return all.slice(0, all.end - fence.length);
    }

    private static int count(byte[] in, byte[] wanted) {
      String text = new String(in, StandardCharsets.ISO_8859_1);
      String part = new String(wanted, StandardCharsets.ISO_8859_1);
      int count = 0;
      for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
        count++;
      }
      return count;
    }

    void repeat(int times) throws IOException {
      for (int i = 0; i < times; i++) {
        client.send(requests);
        client.read(replies);
      }
    }

    /** What comes next is the reply to a fence: every request had one reply. */
    void end() throws IOException {
      client.send(scenario.fence());
      byte[] reply = client.read(scenario.fenceReply().length);
      if (!Arrays.equals(reply, scenario.fenceReply())) {
        throw new IllegalStateException(scenario + ": not a reply for each request");
      }
    }
  }
}
