package sluice.perf;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.File;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import sluice.load.traffic.LoadDialect;
import sluice.load.traffic.LoadRun;
import sluice.names.build.AllowedHere;

/**
 * Load in a closed loop: each connection has up to depth requests on their way and sends the next
 * batch when all of the last have been answered. Or, with a rate, in an open one: see {@link
 * SpinningPacer}. Requests and the replies they must get are encoded once, before the clock starts;
 * every reply is compared byte for byte while it runs.
 *
 * <p>One thread. It first stores every key and reads it back. After an untimed warm-up it reads the
 * proxy's CPU time from /proc, drives for the window, and reads it again; the requests completed in
 * between divide it.
 */
public final class MemcachedLoad {
  private static final String USAGE =
      """
      usage: MemcachedLoad HOST:PORT|unix:PATH [--dialect text|meta|binary] [--pid PID] [--connections N] [--depth N]
                           [--value BYTES] [--keys N] [--keys-per-get N] [--rate N] [--warm SECONDS] [--seconds N]
                           [--requests N] [--seed N] [--tls CERTIFICATE]
      --rate: requests due in a second, at depth 1, sent whether or not others were answered; latency is printed
      --keys-per-get: gets of so many keys instead of the mixture
      --pid: whose CPU time to measure   --requests: end the window after that many, 0 for by time only
      Prints one line: requests, throughput, CPU per request of PID and of this generator.
      Exit code: 0, 1 a wrong reply or a lost connection, 2 usage.
      """;

  private SocketAddress address;
  private LoadDialect dialect = LoadDialect.TEXT;
  private double rate;
  private SslContext tls; // null: without
  private String pid = "";
  private int connections = 50;
  private int depth = 1;
  private int valueLength = 100;
  private int keys = 1000;
  private int keysPerGet = 1;
  private double warmSeconds = 2;
  private double seconds = 4;
  private long requests;
  private long seed = 1;

  private MemcachedLoad() {}

  /** Runs one load. */
  @AllowedHere("a command line writes to its terminal")
  public static void main(String[] arguments) throws Exception {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(List.of(arguments), System.out));
  }

  static int run(List<String> arguments, PrintStream out) throws Exception {
    MemcachedLoad load = new MemcachedLoad();
    try {
      load.parse(arguments);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      out.print(USAGE);
      return 2;
    }
    return load.drive(out) ? 0 : 1;
  }

  private void parse(List<String> arguments) throws SSLException {
    address = address(arguments.get(0));
    for (int i = 1; i < arguments.size(); i += 2) {
      String value = arguments.get(i + 1);
      switch (arguments.get(i)) {
        case "--pid" -> pid = value;
        case "--dialect" -> dialect = LoadDialect.valueOf(value.toUpperCase(Locale.ROOT));
        case "--tls" -> tls = SslContextBuilder.forClient().trustManager(new File(value)).build();
        case "--rate" -> rate = Double.parseDouble(value);
        case "--connections" -> connections = Integer.parseInt(value);
        case "--depth" -> depth = Integer.parseInt(value);
        case "--value" -> valueLength = Integer.parseInt(value);
        case "--keys" -> keys = Integer.parseInt(value);
        case "--keys-per-get" -> keysPerGet = Integer.parseInt(value);
        case "--warm" -> warmSeconds = Double.parseDouble(value);
        case "--seconds" -> seconds = Double.parseDouble(value);
        case "--requests" -> requests = Long.parseLong(value);
        case "--seed" -> seed = Long.parseLong(value);
        default -> throw new IllegalArgumentException(arguments.get(i));
      }
    }
    if (connections < 1 || depth < 1 || keys < 1 || keysPerGet < 1 || valueLength < 0 || rate < 0) {
      throw new IllegalArgumentException("not positive");
    }
    if ((rate > 0 && depth > 1) || (keysPerGet > 1 && dialect != LoadDialect.TEXT)) {
      throw new IllegalArgumentException("not together");
    }
  }

  private static SocketAddress address(String text) {
    if (text.startsWith("unix:")) {
      return new DomainSocketAddress(text.substring(text.indexOf(':') + 1));
    }
    int colon = text.lastIndexOf(':');
    return new InetSocketAddress(
        text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  private boolean drive(PrintStream out) throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try (Workload workload = new Workload(dialect, keys, valueLength, depth, keysPerGet, seed)) {
      LoadRun run = new LoadRun();
      List<LoadConnection> clients = connect(group, workload, run);
      await(run, clients, LoadConnection::prepare);
      run.untilNanos(System.nanoTime() + (long) (warmSeconds * 1e9), Long.MAX_VALUE);
      await(run, clients, LoadConnection::drive);
      final long warmed = run.completed();

      ProcessTimes times = ProcessTimes.begin(pid);
      String latency = "";
      if (rate > 0) {
        EventLoop loop = clients.get(0).channel().eventLoop();
        SpinningPacer pacer = new SpinningPacer(loop, clients, run, rate, seconds);
        pacer.drive();
        latency = " " + pacer.latency();
      } else {
        run.untilNanos(
            times.beginNanos() + (long) (seconds * 1e9), requests == 0 ? Long.MAX_VALUE : requests);
        await(run, clients, LoadConnection::drive);
      }
      if (run.failure() != null) {
        out.println("FAILED: " + run.failure());
        return false;
      }
      out.println(times.perRequest("requests", run.completed()) + " warmed=" + warmed + latency);
      return true;
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  private List<LoadConnection> connect(EventLoopGroup group, Workload workload, LoadRun run)
      throws InterruptedException {
    List<LoadConnection> clients = new ArrayList<>();
    boolean unix = address instanceof DomainSocketAddress;
    for (int i = 0; i < connections; i++) {
      LoadConnection client = new LoadConnection(workload, run, i, connections);
      Channel channel =
          new Bootstrap()
              .group(group)
              .channel(unix ? EpollDomainSocketChannel.class : EpollSocketChannel.class)
              .handler(initializer(client))
              .connect(address)
              .sync()
              .channel();
      if (!unix) {
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
      }
      client.channel(channel);
      clients.add(client);
    }
    return clients;
  }

  private ChannelInitializer<Channel> initializer(LoadConnection client) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        if (tls != null) {
          InetSocketAddress server = (InetSocketAddress) address;
          channel
              .pipeline()
              .addLast(tls.newHandler(channel.alloc(), server.getHostString(), server.getPort()));
        }
        channel.pipeline().addLast(client);
      }
    };
  }

  /** Starts every connection on its loop and waits until the last has come to rest. */
  private static void await(
      LoadRun run, List<LoadConnection> clients, java.util.function.Consumer<LoadConnection> start)
      throws Exception {
    if (run.failure() != null) {
      return;
    }
    run.begin(clients.size());
    for (LoadConnection client : clients) {
      client.channel().eventLoop().execute(() -> start.accept(client));
    }
    run.await();
  }
}
