package sluice.gateway.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import sluice.gateway.process.Gateway;

/**
 * Demonstration: a gateway in front of three servers, under load. From time to time, one of the
 * servers fails, and the others take its keys until it is restored.
 */
public final class Demo {
  private static final int CLIENTS = 4;
  private static final int MEMCACHED_PORT = 11_211;
  private static final int ADMIN_PORT = 9_901;

  private final PrintStream out;
  private final int rate;
  private final long healthyMillis;
  private final long downMillis;
  private final List<DemoServer> servers =
      List.of(new DemoServer("a"), new DemoServer("b"), new DemoServer("c"));
  private final List<DemoClient> clients = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final LongAdder replies = new LongAdder();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private @Nullable Gateway gateway; // null until it has started

  /**
   * @param out what happens is printed here
   * @param rate requests a second, of all clients together
   * @param healthyMillis how long all servers are there before one fails
   * @param downMillis how long a server is down
   */
  public Demo(PrintStream out, int rate, long healthyMillis, long downMillis) {
    this.out = out;
    this.rate = rate;
    this.healthyMillis = healthyMillis;
    this.downMillis = downMillis;
  }

  /** Replies that the clients have had. */
  public long replies() {
    return replies.sum();
  }

  /** Starts servers, gateway and clients, and says where they are. */
  public void start() throws InterruptedException {
    for (DemoServer server : servers) {
      server.start();
    }
    String list =
        servers.stream()
            .map(server -> "\"127.0.0.1:%d name=%s\"".formatted(server.port(), server.name()))
            .collect(Collectors.joining(", "));
    Gateway started =
        DemoServer.started(
            """
            admin: {bind: "127.0.0.1:%d"}
            listeners: {cache: {bind: "127.0.0.1:%d", route: cache}}
            routes: {cache: [{pool: cache}]}
            pools:
              cache:
                servers: [%s]
                timeout: 200ms
                connections: {probeAfter: 200ms}
                retries: {max: 1}
                health: {failures: 3, probe: 500ms, ejectFor: 1s..2s}
            """
                .formatted(free(ADMIN_PORT), free(MEMCACHED_PORT), list));
    gateway = started;
    int port = DemoServer.port(started, "cache");
    out.println("Three servers, a gateway, and clients that send " + rate + " requests a second.");
    out.println("  page:       http://" + started.adminAddress() + "/");
    out.println("  terminal:   sluice top " + started.adminAddress());
    out.println("  memcached:  127.0.0.1:" + port);
    out.println("Every " + healthyMillis / 1000 + " s a server fails. Ctrl-C ends it all.");
    for (int i = 0; i < CLIENTS; i++) {
      InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      DemoClient client = new DemoClient(address, rate / CLIENTS, replies);
      clients.add(client);
      Thread thread = new Thread(client, "demo client " + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  /** The port if it is free, or else 0: any port. */
  private static int free(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Lets servers fail in turn until all is stopped, or the thread interrupted. */
  public void fail() throws InterruptedException {
    for (int i = 0; ; i = (i + 1) % servers.size()) {
      DemoServer server = servers.get(i);
      if (isStoppedWithin(healthyMillis)) {
        return;
      }
      say("server " + server.name() + " fails");
      server.stop();
      if (isStoppedWithin(downMillis)) {
        return;
      }
      server.start();
      say("server " + server.name() + " is back, empty");
    }
  }

  private boolean isStoppedWithin(long millis) throws InterruptedException {
    return stopped.await(millis, TimeUnit.MILLISECONDS);
  }

  private void say(String what) {
    out.println(
        LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS) + "  " + what);
  }

  /** Ends clients, gateway and servers. */
  public void stop() throws InterruptedException {
    stopped.countDown();
    clients.forEach(DemoClient::stop);
    for (Thread thread : threads) {
      thread.join();
    }
    Gateway started = gateway;
    if (started != null) {
      DemoServer.await(started.close());
    }
    for (DemoServer server : servers) {
      server.stop();
    }
  }
}
