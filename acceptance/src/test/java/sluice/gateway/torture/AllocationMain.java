package sluice.gateway.torture;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.loop.AllocatedBytes;
import sluice.gateway.process.Gateway;
import sluice.names.build.AllowedHere;
import sluice.testkit.Bytes;

/**
 * Measurement of the heap that a gateway's event loops allocate for a request in steady state. It
 * has a JVM to itself: {@code AllocationMain SIDE POOL REQUESTS DEPTHS [NAME]}. SIDE is one of
 * {@link AllocationScenario.Side}, and POOL is the YAML of a pool. DEPTHS are how many requests are
 * in flight at once, with commas between them.
 *
 * <p>It prints a line {@code name depth bytes} for each kind of request and depth. The bytes are
 * those per request, less what is allocated without requests. A last line has what the loops
 * allocate in a second without requests.
 */
public final class AllocationMain {
  /**
   * The most rounds. The lowest result counts, and a low one ends the measurement. So the first
   * rounds are the warm-up, until the compiler is done. A request that allocates does so in each.
   */
  private static final int ROUNDS = 30;

  /** From this round on, the compiler gets time to catch up before each. */
  private static final int PATIENT = 6;

  /** Low enough, in bytes: what is printed is less than an object of 16 for one request in four. */
  private static final double LOW = 3.9;

  private final InetSocketAddress address;
  private final AllocationScenario.Side side;

  private AllocationMain(InetSocketAddress address, AllocationScenario.Side side) {
    this.address = address;
    this.side = side;
  }

  /** Runs one measurement. */
  @AllowedHere("a command line writes to its terminal")
  public static void main(String[] arguments) throws Exception {
    AllocationScenario.Side side = AllocationScenario.Side.valueOf(arguments[0]);
    String protocol =
        side == AllocationScenario.Side.IGNITE_CLIENTS ? "protocol: ignite" : "protocol: memcached";
    String rule =
        switch (side) {
          case NEAR -> ", nearCache: {size: 4MiB, ttl: 1h}";
          case SPLIT -> ", split: 64KiB";
          default -> "";
        };
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, %s, route: cache}}
        routes: {cache: [{pool: cache%s}]}
        pools: {cache: %s}
        """
            .formatted(protocol, rule, arguments[1]);
    Gateway gateway =
        Gateways.start(Loader.parse("test.yaml", yaml).configuration()).await(20, TimeUnit.SECONDS);
    try {
      String at = gateway.address("cache");
      int colon = at.lastIndexOf(':');
      InetSocketAddress address =
          new InetSocketAddress(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)));
      new AllocationMain(address, side)
          .run(
              Integer.parseInt(arguments[2]),
              Arrays.stream(arguments[3].split(",", -1)).mapToInt(Integer::parseInt).toArray(),
              arguments.length > 4 ? arguments[4] : "",
              System.out);
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS); // its threads would keep the JVM alive
    }
  }

  private void run(int requests, int[] depths, String only, PrintStream out) throws Exception {
    try (RawClient client = new RawClient(address)) {
      for (byte[] request : (Iterable<byte[]>) side.preparations()::iterator) {
        prepare(client, request);
      }
    }
    double idle = idle();
    for (AllocationScenario scenario : side.scenarios()) {
      if (scenario.name().startsWith(only)) {
        for (int depth : depths) {
          try (RawClient client = new RawClient(address)) {
            Batch batch = new Batch(client, scenario, depth);
            int times = depth == 1 ? requests / 4 : requests / depth; // one at a time takes longest
            double bytes = Double.MAX_VALUE;
            for (int round = 0; round < ROUNDS && bytes > LOW; round++) {
              TimeUnit.MILLISECONDS.sleep(round < PATIENT ? 0 : 200);
              long begin = System.nanoTime();
              long before = AllocatedBytes.ofEventLoops();
              batch.repeat(times);
              double all = AllocatedBytes.ofEventLoops() - before;
              double beside = idle * (System.nanoTime() - begin) / TimeUnit.SECONDS.toNanos(1);
              bytes = Math.min(bytes, Math.max(0, all - beside) / times / depth);
            }
            batch.end();
            out.printf(Locale.ROOT, "%s %d %.3f%n", scenario, depth, bytes);
          }
        }
      }
    }
    out.printf(Locale.ROOT, "IDLE 0 %.3f%n", idle());
  }

  private static void prepare(RawClient client, byte[] request) throws IOException {
    byte[] reply = client.send(request).readSome();
    if (isRefused(reply)) {
      throw new IllegalStateException("not prepared: " + new Bytes().bytes(reply).excerpt());
    }
  }

  private static boolean isRefused(byte[] reply) {
    return reply[0] == (byte) 0x81
        ? reply[7] != 0
        : new String(reply, StandardCharsets.ISO_8859_1).contains("ERROR");
  }

  /** Bytes a second without any request: they go on beside the requests, on a busy machine long. */
  private static double idle() throws InterruptedException {
    long before = AllocatedBytes.ofEventLoops();
    TimeUnit.SECONDS.sleep(1);
    return AllocatedBytes.ofEventLoops() - before;
  }

  /** A batch of one request over and over, sent in one write, then all its replies read. */
  private static final class Batch {
    private final RawClient client;
    private final AllocationScenario scenario;
    private final byte[] requests;
    private final byte[] replies;

    Batch(RawClient client, AllocationScenario scenario, int depth) throws IOException {
      this.client = client;
      this.scenario = scenario;
      Bytes all = new Bytes();
      for (int i = 0; i < depth; i++) {
        all.bytes(scenario.request());
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
