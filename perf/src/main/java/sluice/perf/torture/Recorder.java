package sluice.perf.torture;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import sluice.load.process.Memcached;
import sluice.load.process.Ports;

/**
 * Stands before one server on two ports, plain and TLS: passes on what comes, keeps a {@link
 * Journal} of it, and is where the network fails. Everything but the journal is its loop's.
 */
final class Recorder {
  private static final int NO_CUT = -1;
  private static final long SECONDS_TO_BIND = 120;

  private final int number;
  private final Memcached server;
  private final EventLoop loop;
  private final Findings findings;
  private final Journal journal = new Journal();
  private final int[] ports = new int[2];
  private final List<Channel> listening = new ArrayList<>();
  private final Set<Recorded> connections = new HashSet<>();

  @SuppressWarnings("NullAway.Init") // set before it listens
  private SslContext tls;

  private boolean swallows;
  private int delayMillis;
  private int cutRequests = NO_CUT;
  private int cutReplies = NO_CUT;

  Recorder(int number, Memcached server, EventLoop loop, Ports ports, Findings findings)
      throws IOException {
    this.number = number;
    this.server = server;
    this.loop = loop;
    this.findings = findings;
    this.ports[0] = ports.next();
    this.ports[1] = ports.next();
  }

  /** Listens, with this certificate on the TLS port. */
  void start(SslContext certificate) throws Exception {
    run(() -> tls = certificate);
    listen();
  }

  Journal journal() {
    return journal;
  }

  Memcached server() {
    return server;
  }

  int port(boolean encrypted) {
    return ports[encrypted ? 1 : 0];
  }

  /** New TLS connections are shown this certificate. */
  void certificate(SslContext next) throws Exception {
    run(() -> tls = next);
  }

  /** Ends the next connection that has carried this many more bytes to the server. */
  void cutRequestsBehind(int bytes) throws Exception {
    run(() -> cutRequests = bytes);
  }

  /** The same of bytes to the gateway. */
  void cutRepliesBehind(int bytes) throws Exception {
    run(() -> cutReplies = bytes);
  }

  /** What is read is passed on so much later; 0: at once. */
  void delay(int millis) throws Exception {
    run(() -> delayMillis = millis);
  }

  /** From now on nothing passes, but connections stand and are taken. */
  void partition() throws Exception {
    run(() -> swallows = true);
  }

  /** Everything passes; connections from which something was lost end. */
  void heal() throws Exception {
    run(
        () -> {
          swallows = false;
          closeConnections();
        });
  }

  /** Resets all connections and takes no more. */
  void refuse() throws Exception {
    for (Channel channel : listening) {
      await(channel.close());
    }
    listening.clear();
    run(this::closeConnections);
  }

  /** Takes connections again. */
  void listen() throws Exception {
    for (int i = 0; i < ports.length; i++) {
      listening.add(bind(ports[i], i == 1));
    }
  }

  private Channel bind(int port, boolean encrypted) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_BIND);
    while (true) {
      try {
        ChannelFuture bound =
            new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(
                    new ChannelInitializer<Channel>() {
                      @Override
                      protected void initChannel(Channel channel) {
                        connected(channel, encrypted);
                      }
                    })
                .bind(InetAddress.getLoopbackAddress(), port);
        await(bound);
        return bound.channel();
      } catch (ExecutionException e) {
        if (System.nanoTime() - end > 0) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  private void connected(Channel gateway, boolean encrypted) {
    if (encrypted) {
      gateway.pipeline().addLast(tls.newHandler(gateway.alloc()));
    }
    Recorded connection = new Recorded(this, gateway);
    connections.add(connection);
    gateway.pipeline().addLast(connection.fromGateway());
    InetSocketAddress address = server.address();
    new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.AUTO_READ, false)
        .handler(connection.fromServer())
        .connect(address)
        .addListener(done -> connection.connected(done.isSuccess()));
  }

  private void closeConnections() {
    for (Recorded connection : List.copyOf(connections)) {
      connection.reset();
    }
  }

  private void run(Runnable change) throws Exception {
    loop.submit(change).get(SECONDS_TO_BIND, TimeUnit.SECONDS);
  }

  private static void await(ChannelFuture future)
      throws InterruptedException, ExecutionException, TimeoutException {
    future.get(SECONDS_TO_BIND, TimeUnit.SECONDS);
  }

  // What follows is asked by connections, on the loop.

  boolean swallows() {
    return swallows;
  }

  int delayMillis() {
    return delayMillis;
  }

  /** How many of count bytes may pass before the cut; count itself if it is not among them. */
  int beforeCut(boolean toServer, int count) {
    int cut = toServer ? cutRequests : cutReplies;
    if (cut == NO_CUT) {
      return count;
    }
    int left = Math.max(cut - count, NO_CUT);
    if (toServer) {
      cutRequests = left;
    } else {
      cutReplies = left;
    }
    return Math.min(cut, count);
  }

  void ended(Recorded connection) {
    connections.remove(connection);
  }

  void wrong(String description) {
    findings.wrong("server " + number + ": " + description);
  }
}
