package sluice.load;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Framing;
import sluice.config.plan.LoadPlan;
import sluice.config.plan.PlanReader;
import sluice.load.internode.Nodes;
import sluice.load.process.Ports;
import sluice.load.traffic.LoadRun;

/** Peers that answer wrongly, or not at all. */
@Timeout(60)
class ClientsTest {
  @TempDir Path directory;

  private final Workspace workspace = Workspace.of(ByteBufAllocator.DEFAULT);
  private Requests requests;
  private Clients clients;
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

  @AfterEach
  void stop() {
    if (clients != null) {
      clients.close();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    if (requests != null) {
      requests.close();
    }
    workspace.scratch().release();
  }

  /** A memcached that stores nothing, and answers each get with one line. */
  private static ServerSocket server(String line) throws IOException {
    ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    Thread thread =
        new Thread(
            () -> {
              try (Socket socket = listener.accept()) {
                BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
                for (String read; (read = in.readLine()) != null; ) {
                  if (read.startsWith("set ")) {
                    in.readLine();
                    socket.getOutputStream().write("STORED\r\n".getBytes(US_ASCII));
                  } else {
                    socket.getOutputStream().write((line + "\r\n").getBytes(US_ASCII));
                  }
                }
              } catch (IOException e) {
                // closed
              }
            });
    thread.setDaemon(true);
    thread.start();
    return listener;
  }

  private LoadPlan.Load load() throws IOException {
    Path plan =
        Files.writeString(
            directory.resolve("plan.yaml"),
            "loads: {a: {rate: 100, connections: 1, keys: 2, gets: 100%, values: 20B}}\n");
    return PlanReader.plan(plan).plan().loads().get("a");
  }

  private Tally asked(String answer) throws Exception {
    ServerSocket listener = server(answer);
    InetSocketAddress address = (InetSocketAddress) listener.getLocalSocketAddress();
    Tally tally = new Tally("a", Phase.JUDGED);
    requests = new Requests(load());
    clients = Clients.open(group, address, load(), requests);
    assertThat(clients.run().failure()).isNull();
    group
        .next()
        .submit(
            () -> {
              clients.begin(tally, false);
              clients.send(System.nanoTime());
              clients.flush();
            })
        .sync();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (clients.run().failure() == null && System.nanoTime() - end < 0) {
      boolean[] done = new boolean[1];
      group.next().submit(() -> done[0] = clients.outstanding() == 0).sync();
      if (done[0]) {
        break;
      }
    }
    return tally;
  }

  @Test
  void shouldFailOnAReplyThatIsNotItsRequests() throws Exception {
    asked("END");
    assertThat(clients.run().failure()).contains("a client read 'END", "expected 'VALUE a:load:");
    assertThat(clients.missing()).isEqualTo("1 requests were never answered");
  }

  @Test
  void shouldCountWhatTheServerCouldNotDoAsAnError() throws Exception {
    Tally tally = asked("SERVER_ERROR not now");
    assertThat(clients.run().failure()).isNull();
    assertThat(tally.errors).isOne();
    assertThat(tally.answered).isOne();
    assertThat(tally.latency.getTotalCount()).isOne();
  }

  @Test
  void shouldMissMessagesThatNeverCame() throws Exception {
    Ports ports = new Ports();
    InetSocketAddress writers =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.next());
    InetSocketAddress replicas =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.next());
    LoadRun run = new LoadRun();
    try (Swallower swallower = new Swallower(replicas);
        Nodes nodes =
            Nodes.open(
                group,
                workspace,
                run,
                new Nodes.Places(writers, replicas, writers, swallower.address()),
                new Nodes.Talk(Framing.CRC, 1, 1, 100, 100))) {
      assertThat(run.failure()).isNull();
      assertThat(nodes.missing()).isNull();
      group
          .next()
          .submit(
              () -> {
                nodes.ask(0);
                nodes.flush(0);
              })
          .sync();
      assertThat(nodes.missing())
          .contains("1 requests, of which the replica received 0, and 0 were answered");
    }
  }
}
