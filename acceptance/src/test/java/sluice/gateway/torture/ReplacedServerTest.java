package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import sluice.testkit.scripted.ScriptedServer;

/** A process of an older version takes a server's place between two parts of one request. */
class ReplacedServerTest {
  private static final int KEYS = 5000;
  private static final String OLDER = "1.4.39";

  @Test
  void shouldNotGoOnWithAGatThatTheNextProcessDoesNotKnow() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger unknown = new AtomicInteger();
    AtomicReference<ScriptedServer> self = new AtomicReference<>();
    AtomicInteger replacedAt = new AtomicInteger(Integer.MAX_VALUE);
    ScriptedServer.Script script =
        request -> {
          if (!request.line().startsWith("gat")) {
            ScriptedServer.behave(request);
          } else if (request.connection() > replacedAt.get()) {
            unknown.incrementAndGet();
            request.reply("ERROR\r\n");
          } else {
            request.reply("END\r\n");
            if (asked.addAndGet(request.line().split(" ").length - 2) >= 2046) {
              self.get().version(OLDER);
              replacedAt.set(request.connection());
              request.socket().close();
            }
          }
        };
    try (ScriptedServer server = new ScriptedServer(script)) {
      self.set(server);
      try (RunningGateway gateway =
              RunningGateway.before(server.address())
                  .connections("perEventLoop: 1")
                  .timeout("5s")
                  .start();
          RawClient client = new RawClient(gateway.address())) {
        String keys =
            IntStream.range(0, KEYS).mapToObj(i -> "k" + i).collect(Collectors.joining(" "));
        client.send("gat 0 " + keys + "\r\nversion\r\n");
        assertThat(client.line())
            .isIn(
                "SERVER_ERROR server " + name(server) + " does not know gat",
                // if more was sent before the end of the first process was read
                "SERVER_ERROR server " + name(server) + " closed the connection");
        assertThat(client.line()).startsWith("VERSION ");
        assertThat(asked.get()).isBetween(2046, KEYS - 1);
        assertThat(unknown.get()).isZero();
        assertThat(client.halfClose().readToEnd(Duration.ofSeconds(5))).isEmpty();
      }
    }
  }

  /** The chunks are there, and the head's server is an older process: ms is no command there. */
  @Test
  void shouldNotSendTheHeadOfASplitValueToAProcessThatReadsItOtherwise() throws Exception {
    AtomicReference<ScriptedServer> headServer = new AtomicReference<>();
    AtomicReference<Runnable> atFirstChunk = new AtomicReference<>();
    AtomicInteger unknown = new AtomicInteger();
    List<Socket> sockets = new CopyOnWriteArrayList<>();
    AtomicReference<Socket> opened = new AtomicReference<>();
    List<ScriptedServer> servers = new ArrayList<>();
    AtomicInteger replaced = new AtomicInteger(Integer.MAX_VALUE);
    for (int i = 0; i < 2; i++) {
      int index = i;
      servers.add(
          new ScriptedServer(
              request -> {
                ScriptedServer self = servers.get(index);
                boolean isChunk = request.key().contains(":split:");
                Runnable then = isChunk && self != headServer.get() ? atFirstChunk.get() : null;
                if (then != null && atFirstChunk.compareAndSet(then, null)) {
                  then.run();
                }
                if (self == headServer.get() && request.connection() > replaced.get()) {
                  opened.set(request.socket());
                  unknown.addAndGet(request.line().startsWith("ms ") ? 1 : 0);
                } else if (headServer.get() == null && request.line().startsWith("ms k ")) {
                  headServer.set(self);
                }
                if (self == headServer.get() && opened.get() == null) {
                  sockets.add(request.socket());
                }
                answer(request);
              }));
    }
    try (ScriptedServer one = servers.get(0);
        ScriptedServer two = servers.get(1);
        RunningGateway gateway =
            RunningGateway.of(
                Scenario.yaml(
                    "{pool: main, split: 1KiB}",
                    Scenario.pool(
                        "main",
                        "dialect: meta, hash: {function: fnv1a_64, distribution: ketama}",
                        one.address(),
                        two.address())));
        RawClient client = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      one.version("1.6.45");
      two.version("1.6.45");
      String set = "set k 0 0 16384\r\n" + "x".repeat(16_384) + "\r\n";
      assertThat(client.ask(set)).isEqualTo("STORED");
      ScriptedServer older = headServer.get();
      atFirstChunk.set(
          () -> {
            older.version(OLDER);
            awaitQuiet(older);
            replaced.set(
                older.requests().stream()
                    .mapToInt(ScriptedServer.Request::connection)
                    .max()
                    .orElseThrow());
            try {
              for (Socket socket : sockets) {
                socket.close();
              }
              while (opened.get() == null) {
                other.send("get k\r\n"); // whatever is answered: the gateway connects anew
                Thread.sleep(20);
              }
            } catch (IOException | InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      assertThat(client.ask(set))
          .isEqualTo(
              "SERVER_ERROR server " + name(older) + " was replaced by one of another version");
      assertThat(unknown.get()).isZero();
    }
  }

  /** Until it has answered all that it was sent. */
  private static void awaitQuiet(ScriptedServer server) {
    int asked = -1;
    while (asked != server.requests().size()) {
      asked = server.requests().size();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  /** As a server that stores everything, and repeats the opaque of a meta command. */
  private static void answer(ScriptedServer.Request request) throws IOException {
    if (request.line().startsWith("ms ")) {
      String opaque =
          Arrays.stream(request.line().split(" "))
              .filter(flag -> flag.startsWith("O"))
              .map(flag -> " " + flag)
              .collect(Collectors.joining());
      request.reply("HD" + opaque + "\r\n");
    } else if (request.line().startsWith("get")) {
      request.reply("END\r\n");
    } else {
      ScriptedServer.behave(request);
    }
  }

  private static String name(ScriptedServer server) {
    return Scenario.name(server.address());
  }
}
