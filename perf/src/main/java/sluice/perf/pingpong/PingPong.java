package sluice.perf.pingpong;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import sluice.load.traffic.LoadRun;
import sluice.names.build.AllowedHere;
import sluice.perf.ProcessTimes;

/**
 * Round trips in a closed loop, between two processes with one event loop each: every connection
 * has one message under way, which the other process sends back as it came. What it costs is what a
 * request costs at least on a transport, on each side of it.
 *
 * <p>Every byte that comes back is compared.
 */
public final class PingPong {
  /** Exit code where the kernel, or this machine, does not have the transport. */
  static final int UNAVAILABLE = 3;

  private static final String USAGE =
      """
      usage: PingPong echo --transport nio|epoll|io_uring --at PORT|unix:PATH
             PingPong drive --transport nio|epoll|io_uring --at PORT|unix:PATH [--pid PID] [--connections N]
                      [--size BYTES] [--warm SECONDS] [--seconds N] [--trips N]
      echo: sends back what it reads until it is ended; prints "ready" and where it listens (port 0: any).
      drive: prints one line: round trips, throughput, CPU of PID and of this process for each of them.
      Exit code: 0, 1 a wrong byte or a lost connection, 2 usage, 3 there is no such transport here.
      """;

  private Transport transport;
  private String at;
  private String pid = "";
  private int connections = 50;
  private int size = 100;
  private double warmSeconds = 2;
  private double seconds = 4;
  private long trips = Long.MAX_VALUE;

  private PingPong() {}

  /** Runs one side. */
  @AllowedHere("a command line writes to its terminal")
  public static void main(String[] arguments) throws Exception {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(List.of(arguments), System.out));
  }

  static int run(List<String> arguments, PrintStream out) throws Exception {
    PingPong side = new PingPong();
    boolean echo;
    try {
      echo = side.parse(arguments);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      out.print(USAGE);
      return 2;
    }
    String reason = side.transport.reasonAgainst();
    if (reason != null) {
      out.println("UNAVAILABLE: " + side.transport.label() + ": " + reason);
      return UNAVAILABLE;
    }
    if (echo) {
      side.echo(out);
      return 0;
    }
    return side.drive(out) ? 0 : 1;
  }

  private boolean parse(List<String> arguments) {
    for (int i = 1; i < arguments.size(); i += 2) {
      String value = arguments.get(i + 1);
      switch (arguments.get(i)) {
        case "--transport" -> transport = Transport.named(value);
        case "--at" -> at = value;
        case "--pid" -> pid = value;
        case "--connections" -> connections = Integer.parseInt(value);
        case "--size" -> size = Integer.parseInt(value);
        case "--warm" -> warmSeconds = Double.parseDouble(value);
        case "--seconds" -> seconds = Double.parseDouble(value);
        case "--trips" -> trips = Long.parseLong(value);
        default -> throw new IllegalArgumentException(arguments.get(i));
      }
    }
    if (transport == null || at == null || connections < 1 || size < Integer.BYTES || trips < 1) {
      throw new IllegalArgumentException("incomplete or out of range");
    }
    return switch (arguments.get(0)) {
      case "echo" -> true;
      case "drive" -> false;
      default -> throw new IllegalArgumentException(arguments.get(0));
    };
  }

  private void echo(PrintStream out) throws InterruptedException {
    try (Echo echo = Echo.listen(transport, at)) {
      out.println("ready " + echo.address(at));
      out.flush();
      echo.await();
    }
  }

  private boolean drive(PrintStream out) throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.handlers());
    LoadRun run = new LoadRun();
    try {
      List<Player> players = connect(group, run);
      if (warmSeconds > 0) {
        run.untilNanos(System.nanoTime() + (long) (warmSeconds * 1e9), Long.MAX_VALUE);
        play(group, run, players);
      }
      ProcessTimes times = ProcessTimes.begin(pid);
      run.untilNanos(times.beginNanos() + (long) (seconds * 1e9), trips);
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
}
