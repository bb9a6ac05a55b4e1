package sluice.perf.pingpong;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import sluice.gateway.cli.CommandLines;
import sluice.load.traffic.LoadRun;
import sluice.perf.MeasuredWindow;
import sluice.perf.OptionValues;
import sluice.perf.ProcessTimes;

/** The process that sends messages, and compares what comes back. */
@Command(
    name = "drive",
    customSynopsis =
        "PingPong drive --transport TRANSPORT --at PLACE [--connections N] [--size BYTES]"
            + " [--pid PID] [--warm SECONDS] [--seconds N] [--trips N]",
    description = {
      "Sends messages to an echo process, and compares what comes back.",
      "Prints one line: round trips, throughput, CPU time per round trip of PID and of this"
          + " process."
    },
    exitCodeList = {
      "0:all that came back was right",
      "1:a wrong byte or a lost connection",
      "2:the command line is wrong",
      "3:this machine does not have the transport"
    })
final class DriveSide extends Side {
  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "50",
      converter = OptionValues.PositiveCountConverter.class,
      description = "connections, each with one message in flight (default: 50)")
  private int connections;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "100",
      converter = SizeConverter.class,
      description = "length of a message (default: 100)")
  private int size;

  @Mixin private final MeasuredWindow measured = new MeasuredWindow();

  @Option(
      names = "--trips",
      paramLabel = "N",
      converter = OptionValues.PositiveNumberConverter.class,
      description = "end the window after N round trips (default: by time only)")
  private long trips = Long.MAX_VALUE;

  DriveSide(PrintStream out) {
    super(out);
  }

  @Override
  boolean run() throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.handlers());
    LoadRun run = new LoadRun();
    try {
      List<Player> players = connect(group, run);
      if (measured.warmNanos() > 0) {
        run.untilNanos(System.nanoTime() + measured.warmNanos(), Long.MAX_VALUE);
        play(group, run, players);
      }
      ProcessTimes times = measured.begin();
      run.untilNanos(measured.endNanos(times), trips);
      play(group, run, players);
      if (run.failure() != null) {
        out.println("FAILED: " + run.failure());
        return false;
      }
      out.println(times.perRequest("trips", run.completed()));
      return true;
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  private List<Player> connect(EventLoopGroup group, LoadRun run) throws InterruptedException {
    boolean unix = Transport.isUnix(at);
    List<Player> players = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      Player player = new Player(run, i, size);
      Channel channel =
          new Bootstrap()
              .group(group)
              .channel(transport.clients(unix))
              .handler(player)
              .connect(transport.address(at))
              .sync()
              .channel();
      if (!unix) {
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
      }
      players.add(player);
    }
    return players;
  }

  /** Lets every connection play, and waits until the last has come to rest. */
  private static void play(EventLoopGroup group, LoadRun run, List<Player> players)
      throws InterruptedException {
    if (run.failure() != null) {
      return;
    }
    run.begin(players.size());
    group.next().execute(() -> players.forEach(Player::play));
    run.await();
  }

  /** The length of a message, which begins with a number. */
  static final class SizeConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      if (!value.matches("[0-9]{1,9}") || Integer.parseInt(value) < Integer.BYTES) {
        throw CommandLines.expected(Integer.BYTES + " to 999999999");
      }
      return Integer.valueOf(value);
    }
  }
}
