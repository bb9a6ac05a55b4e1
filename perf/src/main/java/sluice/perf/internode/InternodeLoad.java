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
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Framing;
import sluice.gateway.cli.CommandLines;
import sluice.load.internode.Nodes;
import sluice.load.traffic.LoadRun;
import sluice.names.build.AllowedHere;
import sluice.perf.MeasuredWindow;
import sluice.perf.OptionValues;
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
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "InternodeLoad",
    customSynopsis =
        "InternodeLoad --writers PORT --replicas PORT --to-writers HOST:PORT"
            + " --to-replicas HOST:PORT [--framing FRAMING] [--conversations N] [--window N]"
            + " [--payload MIN-MAX] [--pid PID] [--warm SECONDS] [--seconds N]",
    description = {
      "Sends messages between nodes through a proxy, and checks every message.",
      "Prints one line: messages, throughput, CPU time per message of PID and of this load."
    },
    exitCodeList = {
      "0:all messages were right",
      "1:a wrong message or a lost connection",
      "2:the command line is wrong"
    })
public final class InternodeLoad implements Callable<Integer> {
  private final PrintStream out;

  @Option(
      names = "--writers",
      paramLabel = "PORT",
      required = true,
      converter = OptionValues.PortConverter.class,
      description = "port of the nodes that send requests")
  private int writersPort;

  @Option(
      names = "--replicas",
      paramLabel = "PORT",
      required = true,
      converter = OptionValues.PortConverter.class,
      description = "port of the nodes that answer")
  private int replicasPort;

  @Option(
      names = "--to-writers",
      paramLabel = "HOST:PORT",
      required = true,
      converter = OptionValues.TcpConverter.class,
      description = "the proxy's listener that forwards to --writers")
  private InetSocketAddress toWriters;

  @Option(
      names = "--to-replicas",
      paramLabel = "HOST:PORT",
      required = true,
      converter = OptionValues.TcpConverter.class,
      description = "the proxy's listener that forwards to --replicas")
  private InetSocketAddress toReplicas;

  @Option(
      names = "--framing",
      paramLabel = "FRAMING",
      defaultValue = "crc",
      converter = FramingConverter.class,
      description = "crc or lz4 (default: crc)")
  private Framing framing;

  @Option(
      names = "--conversations",
      paramLabel = "N",
      defaultValue = "4",
      converter = ConversationsConverter.class,
      description = "pairs of nodes (default: 4)")
  private int conversations;

  @Option(
      names = "--window",
      paramLabel = "N",
      defaultValue = "1",
      converter = OptionValues.PositiveCountConverter.class,
      description = "requests in flight per pair of nodes (default: 1)")
  private int window;

  @Option(
      names = "--payload",
      paramLabel = "MIN-MAX",
      defaultValue = "60-250",
      converter = PayloadConverter.class,
      description = {
        "bytes of a request; above 65515, it uses a LARGE connection;",
        "default: 60-250"
      })
  private Payload payload;

  @Mixin private final MeasuredWindow measured = new MeasuredWindow();

  private InternodeLoad(PrintStream out) {
    this.out = out;
  }

  /** Runs one load. */
  public static void main(String[] arguments) {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(System.out, arguments));
  }

  /** Runs one and prints to out. */
  static int run(PrintStream out, String... arguments) {
    return commandLine(out).execute(arguments);
  }

  static CommandLine commandLine(PrintStream out) {
    return CommandLines.of(CommandSpec.forAnnotatedObject(new InternodeLoad(out)), out, out);
  }

  @Override
  public Integer call() throws Exception {
    return drive() ? CommandLines.FINE : CommandLines.FAILED;
  }

  /** Where the nodes are, by the command line. */
  Nodes.Places places() {
    return new Nodes.Places(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), writersPort),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), replicasPort),
        toWriters,
        toReplicas);
  }

  /** What they say, by the command line. */
  Nodes.Talk talk() {
    return new Nodes.Talk(framing, conversations, window, payload.least, payload.most);
  }

  /** Bounds of a request's payload, in bytes. */
  private record Payload(int least, int most) {}

  /** Those that have a checksum. */
  static final class FramingConverter implements ITypeConverter<Framing> {
    @Override
    public Framing convert(String value) {
      return switch (value.toLowerCase(Locale.ROOT)) {
        case "crc" -> Framing.CRC;
        case "lz4" -> Framing.LZ4;
        default -> throw CommandLines.expected("crc or lz4");
      };
    }
  }

  /** As many as there are addresses. */
  static final class ConversationsConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      int count = value.matches("[0-9]{1,9}") ? Integer.parseInt(value) : 0;
      if (count < 1 || count > Nodes.MOST_PAIRS) {
        throw CommandLines.expected("1 to " + Nodes.MOST_PAIRS);
      }
      return count;
    }
  }

  static final class PayloadConverter implements ITypeConverter<Payload> {
    private static final Pattern BOUNDS = Pattern.compile("([0-9]{1,9})-([0-9]{1,9})");

    @Override
    public Payload convert(String value) {
      Matcher bounds = BOUNDS.matcher(value);
      if (bounds.matches()) {
        int least = Integer.parseInt(bounds.group(1));
        int most = Integer.parseInt(bounds.group(2));
        if (least >= 1 && most >= least && most <= Nodes.MAX_PAYLOAD) {
          return new Payload(least, most);
        }
      }
      throw CommandLines.expected("MIN-MAX of 1 to " + Nodes.MAX_PAYLOAD);
    }
  }

  private boolean drive() throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    Workspace workspace = Workspace.of(ByteBufAllocator.DEFAULT);
    LoadRun run = new LoadRun();
    try {
      Nodes nodes = Nodes.open(group, workspace, run, places(), talk());
      if (run.failure() == null) {
        run.untilNanos(System.nanoTime() + measured.warmNanos(), Long.MAX_VALUE);
        go(group, nodes, run);
      }
      ProcessTimes times = measured.begin();
      run.untilNanos(measured.endNanos(times), Long.MAX_VALUE);
      if (run.failure() == null) {
        go(group, nodes, run);
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
  private void go(EventLoopGroup group, Nodes nodes, LoadRun run) throws InterruptedException {
    run.begin(conversations);
    group.next().execute(nodes::drive);
    run.await();
  }
}
