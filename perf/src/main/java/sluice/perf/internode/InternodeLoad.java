package sluice.perf.internode;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Framing;
import sluice.load.internode.Nodes;
import sluice.load.traffic.LoadRun;
import sluice.names.build.AllowedHere;
import sluice.perf.ProcessTimes;

/**
 * Load of internode messages through a proxy, in a closed loop: writes of nodes to other nodes, and
 * their answers. One thread runs all nodes. The writing nodes listen on one port, the answering
 * ones on another, and they reach each other by the proxy's two listeners.
 *
 * <p>Every request and every answer is checked: its frames' checksums, its id, its order, its
 * length. After an untimed warm-up the proxy's CPU time is read from /proc. Then a number of
 * requests is sent and answered completely, and the time is read again. A request and its answer
 * are two messages, and both have passed the proxy.
 */
public final class InternodeLoad {
  private static final String USAGE =
      """
      usage: InternodeLoad --writers PORT --replicas PORT --to-writers HOST:PORT --to-replicas HOST:PORT
                           [--pid PID] [--framing crc|lz4] [--conversations N] [--window N]
                           [--payload MIN-MAX] [--warm SECONDS] [--seconds N]
      --writers, --replicas: where the nodes listen   --to-...: where the proxy's listeners are that lead there
      --pid: whose CPU time to measure   --window: requests of a conversation at a time
      --payload: bytes of a request; above 65515 it travels on a LARGE connection
      Prints one line: messages, throughput, CPU per message of PID and of this load.
      Exit code: 0, 1 a wrong message or a lost connection, 2 usage.
      """;

  private final LoadRun run = new LoadRun();
  private Nodes nodes;
  private int writersPort;
  private int replicasPort;
  private InetSocketAddress toWriters;
  private InetSocketAddress toReplicas;
  private String pid = "";
  private Framing framing = Framing.CRC;
  private int count = 4;
  private int window = 1;
  private int minPayload = 60;
  private int maxPayload = 250;
  private double warmSeconds = 2;
  private double seconds = 4;

  private InternodeLoad() {}

  /** Runs one load. */
  @AllowedHere("a command line writes to its terminal")
  public static void main(String[] arguments) throws Exception {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(List.of(arguments), System.out));
  }

  static int run(List<String> arguments, PrintStream out) throws Exception {
    InternodeLoad load = new InternodeLoad();
    try {
      load.parse(arguments);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      out.print(USAGE);
      return 2;
    }
    return load.drive(out) ? 0 : 1;
  }

  private void parse(List<String> arguments) {
    for (int i = 0; i < arguments.size(); i += 2) {
      String value = arguments.get(i + 1);
      switch (arguments.get(i)) {
        case "--writers" -> writersPort = Integer.parseInt(value);
        case "--replicas" -> replicasPort = Integer.parseInt(value);
        case "--to-writers" -> toWriters = address(value);
        case "--to-replicas" -> toReplicas = address(value);
        case "--pid" -> pid = value;
        case "--framing" -> framing = Framing.valueOf(value.toUpperCase(Locale.ROOT));
        case "--conversations" -> count = Integer.parseInt(value);
        case "--window" -> window = Integer.parseInt(value);
        case "--payload" -> {
          int dash = value.indexOf('-');
          minPayload = Integer.parseInt(value.substring(0, dash));
          maxPayload = Integer.parseInt(value.substring(dash + 1));
        }
        case "--warm" -> warmSeconds = Double.parseDouble(value);
        case "--seconds" -> seconds = Double.parseDouble(value);
        default -> throw new IllegalArgumentException(arguments.get(i));
      }
    }
    if (toWriters == null || toReplicas == null || framing == Framing.UNPROTECTED) {
      throw new IllegalArgumentException("incomplete");
    }
    if (count < 1 || count > Nodes.MOST_PAIRS || window < 1) {
      throw new IllegalArgumentException("out of range");
    }
    if (minPayload < 1 || maxPayload < minPayload || maxPayload > Nodes.MAX_PAYLOAD) {
      throw new IllegalArgumentException("out of range");
    }
  }

  static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    return new InetSocketAddress(
        text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  private boolean drive(PrintStream out) throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    Workspace workspace = Workspace.of(ByteBufAllocator.DEFAULT);
    try {
      nodes =
          Nodes.open(
              group,
              workspace,
              run,
              new Nodes.Places(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), writersPort),
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), replicasPort),
                  toWriters,
                  toReplicas),
              new Nodes.Talk(framing, count, window, minPayload, maxPayload));
      if (run.failure() == null) {
        run.untilNanos(System.nanoTime() + (long) (warmSeconds * 1e9), Long.MAX_VALUE);
        go(group);
      }
      ProcessTimes times = ProcessTimes.begin(pid);
      run.untilNanos(times.beginNanos() + (long) (seconds * 1e9), Long.MAX_VALUE);
      if (run.failure() == null) {
        go(group);
      }
      String line = times.perRequest("messages", 2 * run.completed());
      if (run.failure() != null) {
        out.println("FAILED: " + run.failure());
        return false;
      }
      out.println(line);
      return true;
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
      workspace.scratch().release();
    }
  }

  /** Drives every conversation until the last has come to rest. */
  private void go(EventLoopGroup group) throws InterruptedException {
    run.begin(count);
    group.next().execute(() -> nodes.drive());
    run.await();
  }
}
