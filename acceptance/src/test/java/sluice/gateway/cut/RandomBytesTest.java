package sluice.gateway.cut;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;
import sluice.testkit.Acceptor;

/**
 * Bytes that no peer should send cost their own connection at most: a fresh client is answered
 * afterwards, and nothing is leaked or logged as an error (the suite's guard looks).
 */
class RandomBytesTest {
  private static final Logger LOG = LoggerFactory.getLogger(RandomBytesTest.class);
  private static final int CLIENTS = 300;
  private static final Duration SILENCE = Duration.ofMillis(2);

  /** Most requests run into it. A connection takes longer to make on a busy machine. */
  private static final String SHORT_TIMEOUT = "50ms\n    queueTimeout: 200ms";

  /** Streams that are like requests, or like nothing. */
  private static byte[] stream(Random random, List<CutCase> cases) {
    if (random.nextInt(4) == 0) {
      byte[] noise = new byte[1 + random.nextInt(600)];
      random.nextBytes(noise);
      noise[0] = random.nextBoolean() ? (byte) 0x80 : noise[0];
      return noise;
    }
    byte[] bent = cases.get(random.nextInt(cases.size())).request().clone();
    for (int edits = 1 + random.nextInt(4); edits > 0; edits--) {
      int at = random.nextInt(Math.min(bent.length, 200));
      switch (random.nextInt(3)) {
        case 0 -> bent[at] = (byte) random.nextInt(256);
        case 1 -> bent[at] ^= (byte) (1 << random.nextInt(8));
        default -> bent = Arrays.copyOf(bent, Math.max(1, at));
      }
    }
    return bent;
  }

  @Test
  void shouldOutliveClientsThatSendAnything() throws Exception {
    long seed = System.nanoTime();
    LOG.info("seed {}", seed);
    Random random = new Random(seed);
    List<CutCase> cases = CutCase.recorded();
    try (RealMemcached memcached = RealMemcached.start()) {
      try (Running running = new Running(memcached.address(), "10s")) {
        for (String listener : new String[] {"servers", "store"}) {
          for (int i = 0; i < CLIENTS; i++) {
            try (RawClient client = new RawClient(running.address(listener))) {
              byte[] stream = stream(random, cases);
              int cut = random.nextInt(stream.length);
              client.send(stream, 0, cut);
              client.send(stream, cut, stream.length);
              client.hear(heard -> false, SILENCE);
            }
            if (i % 50 == 0) {
              running.answersAFreshClient(listener, seed);
            }
          }
          running.answersAFreshClient(listener, seed);
        }
      }
    }
  }

  @Test
  void shouldEndEveryRequestOfAServerThatAnswersAnything() throws Exception {
    long seed = System.nanoTime();
    LOG.info("seed {}", seed);
    Random random = new Random(seed);
    List<CutCase> cases = CutCase.recorded();
    try (NoisyServer server = new NoisyServer(seed);
        Running running = new Running(server.address(), SHORT_TIMEOUT)) {
      for (int i = 0; i < CLIENTS; i++) {
        byte[] request = cases.get(random.nextInt(cases.size())).request();
        Fence fence = Fence.of(request);
        try (RawClient client = new RawClient(running.address("servers"))) {
          client.send(fence.behind(request));
          client.shutdownOutput();
          // Answered or closed, but never left alone.
          RawClient.Heard heard = client.hear(each -> false, RawClient.PATIENCE);
          assertThat(heard.closed()).as("seed %d, request %d", seed, i).isTrue();
        }
      }
      assertThat(server.answers()).as("seed %d", seed).isGreaterThan(CLIENTS / 10);
      running.answersAFreshClient("store", seed);
    }
  }

  /** A gateway in front of this server and of a store. */
  private static final class Running implements AutoCloseable {
    private final Gateway gateway;

    Running(InetSocketAddress server, String timeout) throws Exception {
      String yaml =
          """
          admin: {bind: '127.0.0.1:0'}
          process: {eventLoops: 1}
          listeners:
            servers: {bind: '127.0.0.1:0', protocol: memcached, route: servers}
            store: {bind: '127.0.0.1:0', protocol: memcached, route: store}
          routes:
            servers:
              - pool: servers
            store:
              - pool: store
          pools:
            servers:
              protocol: memcached
              servers: ['127.0.0.1:%d']
              timeout: %s
              connections: {probeAfter: 20ms}
            store: {protocol: embedded, size: 16MiB}
          """
              .formatted(server.getPort(), timeout);
      gateway =
          Gateways.start(Loader.parse("random.yaml", yaml).configuration())
              .await(20, TimeUnit.SECONDS);
    }

    InetSocketAddress address(String listener) {
      String address = gateway.address(listener);
      int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    void answersAFreshClient(String listener, long seed) throws IOException {
      try (RawClient fresh = new RawClient(address(listener))) {
        fresh.send("set fresh 0 0 2\r\nhi\r\nget fresh\r\nmn\r\n".getBytes(ISO_8859_1));
        RawClient.Heard heard = fresh.hear(Fence.TEXT::ends, RawClient.PATIENCE);
        assertThat(new String(heard.bytes(), ISO_8859_1))
            .as("%s, seed %d", listener, seed)
            .isEqualTo("STORED\r\nVALUE fresh 0 2\r\nhi\r\nEND\r\nMN\r\n");
      }
    }

    @Override
    public void close() throws TimeoutException {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
  }

  /** Tells its version, and then anything: pieces of replies, noise, or nothing. */
  private static final class NoisyServer implements AutoCloseable {
    private static final String[] PIECES = {
      "STORED\r\n",
      "END\r\n",
      "VALUE k 0 1\r\n1\r\n",
      "VALUE k 0 5\r\nshort\r\nEND\r\n",
      "HD\r\n",
      "VA 2 s2\r\nhi\r\n",
      "EN\r\n",
      "MN\r\n",
      "ERROR\r\n",
      "SERVER_ERROR no\r\n",
      "VALUE ",
      "\r\n",
      "VA 99999999999\r\n",
      "NF\r\n",
      "VALUE k 0 -1\r\n",
      "\n",
      "5\r\n",
      "DELETED\r\n"
    };

    private final AtomicInteger answers = new AtomicInteger();
    private final Acceptor acceptor;

    NoisyServer(long seed) throws IOException {
      acceptor =
          Acceptor.onLoopback(
              0, "noisy-server", (number, socket) -> answer(socket, new Random(seed + number - 1)));
    }

    InetSocketAddress address() {
      return acceptor.address();
    }

    int answers() {
      return answers.get();
    }

    private void answer(Socket socket, Random random) {
      try (socket) {
        InputStream in = socket.getInputStream();
        byte[] buffer = new byte[65_536];
        int first = in.read(buffer);
        socket.getOutputStream().write(first > 0 && buffer[0] < 0 ? binaryProbe() : textProbe());
        while (in.read(buffer) >= 0) {
          answers.incrementAndGet();
          socket.getOutputStream().write(noise(random));
          if (random.nextInt(8) == 0) {
            return;
          }
        }
      } catch (IOException e) {
        // the gateway has had enough
      }
    }

    private static byte[] noise(Random random) {
      StringBuilder text = new StringBuilder();
      for (int pieces = random.nextInt(4); pieces > 0; pieces--) {
        text.append(PIECES[random.nextInt(PIECES.length)]);
      }
      byte[] noise = text.toString().getBytes(ISO_8859_1);
      if (random.nextInt(3) == 0) {
        noise = new byte[random.nextInt(100)];
        random.nextBytes(noise);
        if (noise.length > 0 && random.nextBoolean()) {
          noise[0] = (byte) 0x81;
        }
      }
      return noise;
    }

    private static byte[] textProbe() {
      return "VERSION 1.6.18\r\n".getBytes(ISO_8859_1);
    }

    private static byte[] binaryProbe() {
      byte[] replies = new byte[24 + 6 + 24];
      replies[0] = (byte) 0x81;
      replies[1] = 0x0b;
      replies[11] = 6;
      System.arraycopy("1.6.18".getBytes(ISO_8859_1), 0, replies, 24, 6);
      replies[30] = (byte) 0x81;
      replies[31] = 0x0a;
      return replies;
    }

    @Override
    public void close() throws IOException {
      acceptor.close();
    }
  }
}
