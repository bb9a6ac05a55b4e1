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
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.gateway.cli.CommandLines;
import sluice.load.traffic.LoadDialect;
import sluice.load.traffic.LoadRun;
import sluice.load.traffic.RequestFormat;
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
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "MemcachedLoad",
    customSynopsis =
        "MemcachedLoad ADDRESS [--dialect DIALECT] [--connections N] [--depth N]"
            + " [--value BYTES] [--keys N] [--keys-per-get N] [--sets N] [--rate N] [--pid PID]"
            + " [--warm SECONDS] [--seconds N] [--requests N] [--seed N] [--tls CERTIFICATE]",
    description = {
      "Sends load to a server or proxy, and checks every reply.",
      "Prints one line: requests, throughput, CPU time per request of PID and of this generator."
    },
    exitCodeList = {
      "0:all replies were right",
      "1:a wrong reply or a lost connection",
      "2:the command line is wrong"
    })
public final class MemcachedLoad implements Callable<Integer> {
  private final PrintStream out;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "ADDRESS",
      converter = OptionValues.AddressConverter.class,
      description = "HOST:PORT, or unix:PATH")
  private SocketAddress address;

  @Option(
      names = "--dialect",
      paramLabel = "DIALECT",
      defaultValue = "text",
      converter = DialectConverter.class,
      description = "text, meta, binary, or resp for Redis (default: text)")
  private RequestFormat dialect;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "50",
      converter = OptionValues.PositiveCountConverter.class,
      description = "number of connections (default: 50)")
  private int connections;

  @Option(
      names = "--depth",
      paramLabel = "N",
      defaultValue = "1",
      converter = OptionValues.PositiveCountConverter.class,
      description = "requests in flight per connection (default: 1)")
  private int depth;

  @Option(
      names = "--value",
      paramLabel = "BYTES",
      defaultValue = "100",
      converter = OptionValues.CountConverter.class,
      description = "length of each value (default: 100)")
  private int valueLength;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "1000",
      converter = OptionValues.PositiveCountConverter.class,
      description = "number of keys (default: 1000)")
  private int keys;

  @Option(
      names = "--keys-per-get",
      paramLabel = "N",
      defaultValue = "1",
      converter = OptionValues.PositiveCountConverter.class,
      description = "gets of N keys instead of the mix of gets and sets; text only")
  private int keysPerGet;

  @Option(
      names = "--sets",
      paramLabel = "N",
      defaultValue = "1",
      converter = OptionValues.CountConverter.class,
      description = "number of sets in ten requests (default: 1)")
  private int sets;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      converter = OptionValues.DecimalConverter.class,
      description = {
        "send N requests per second, whether or not others were answered,",
        "and print their latency; at depth 1 only"
      })
  private double rate;

  @Mixin private final MeasuredWindow measured = new MeasuredWindow();

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "0",
      converter = OptionValues.NumberConverter.class,
      description = "end the window after N requests (default: by time only)")
  private long requests;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      converter = OptionValues.SeedConverter.class,
      description = "seed of the random choices (default: 1)")
  private long seed;

  @Option(
      names = "--tls",
      paramLabel = "CERTIFICATE",
      converter = TrustConverter.class,
      description = "use TLS, and trust the PEM certificates in this file")
  private @Nullable Trust tls; // null: without

  private MemcachedLoad(PrintStream out) {
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
    return CommandLines.of(CommandSpec.forAnnotatedObject(new MemcachedLoad(out)), out, out);
  }

  @Override
  public Integer call() throws Exception {
    if (rate > 0 && depth > 1) {
      throw wrong("--depth", "" + depth, "1 with --rate");
    }
    if (sets > 10) {
      throw wrong("--sets", Integer.toString(sets), "0 to 10");
    }
    if (keysPerGet > 1 && dialect != LoadDialect.TEXT) {
      throw wrong(
          "--dialect", dialect.toString().toLowerCase(Locale.ROOT), "text with --keys-per-get");
    }
    if (tls != null && !(address instanceof InetSocketAddress)) {
      throw wrong("--tls", tls.file, "HOST:PORT with it");
    }
    return drive() ? CommandLines.FINE : CommandLines.FAILED;
  }

  /** Of a value that is wrong beside others. */
  private ParameterException wrong(String option, String found, String expected) {
    return new ParameterException(
        spec.commandLine(),
        expected,
        CommandLines.expected(expected),
        spec.findOption(option),
        found);
  }

  static final class DialectConverter implements ITypeConverter<RequestFormat> {
    @Override
    public RequestFormat convert(String value) {
      return switch (value) {
        case "text" -> LoadDialect.TEXT;
        case "meta" -> LoadDialect.META;
        case "binary" -> LoadDialect.BINARY;
        case "resp" -> RespFormat.RESP;
        default -> throw CommandLines.expected("text, meta, binary or resp");
      };
    }
  }

  private record Trust(String file, SslContext context) {}

  static final class TrustConverter implements ITypeConverter<Trust> {
    @Override
    public Trust convert(String value) {
      try {
        File file = new File(value);
        return new Trust(value, SslContextBuilder.forClient().trustManager(file).build());
      } catch (IllegalArgumentException | SSLException e) {
        throw CommandLines.expected("a file of PEM certificates");
      }
    }
  }

  private boolean drive() throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try (Workload workload =
        new Workload(dialect, keys, valueLength, depth, keysPerGet, sets, seed)) {
      LoadRun run = new LoadRun();
      List<LoadConnection> clients = connect(group, workload, run);
      await(run, clients, LoadConnection::prepare);
      run.untilNanos(System.nanoTime() + measured.warmNanos(), Long.MAX_VALUE);
      await(run, clients, LoadConnection::drive);
      final long warmed = run.completed();

      ProcessTimes times = measured.begin();
      String latency = "";
      if (rate > 0) {
        EventLoop loop = clients.get(0).channel().eventLoop();
        SpinningPacer pacer = new SpinningPacer(loop, clients, run, rate, measured.seconds());
        pacer.drive();
        latency = " " + pacer.latency();
      } else {
        run.untilNanos(measured.endNanos(times), requests == 0 ? Long.MAX_VALUE : requests);
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
              .addLast(
                  tls.context.newHandler(
                      channel.alloc(), server.getHostString(), server.getPort()));
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
