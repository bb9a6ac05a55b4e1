package sluice.gateway.neighbours;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.testkit.Patience;
import sluice.testkit.hostile.Bender;
import sluice.testkit.hostile.Bytes;
import sluice.testkit.model.Lines;
import sluice.testkit.model.Server;

/**
 * A model answers bent requests as the memcached of its version does, wherever that one is at hand:
 * 1.6.18 in the suite, more of them with {@code SLUICE_TEST_MEMCACHED}. The requests are the same
 * in each run, as what is tested is the model; {@code -Dsluice.neighbours.seed=N} asks others.
 */
class ModelServerTest {
  private static final Logger LOG = LoggerFactory.getLogger(ModelServerTest.class);
  private static final long SEED = Long.getLong("sluice.neighbours.seed", 20_261_124);
  private static final int CONVERSATIONS = Integer.getInteger("sluice.neighbours.model", 1_000);
  private static final int REQUESTS = 6;
  private static final int FENCES = 800; // more than a data block
  private static final Pattern LAST = Pattern.compile("(?s).*VERSION [0-9.]+\r\n");

  static List<ServerKind> versions() {
    return ServerKind.all().stream().filter(kind -> lines(kind) != null).distinct().toList();
  }

  private static Lines lines(ServerKind kind) {
    return Arrays.stream(Lines.values())
        .filter(lines -> lines.version().equals(kind.version()))
        .findFirst()
        .orElse(null);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("versions")
  void shouldAnswerAsItsVersion(ServerKind kind) throws Exception {
    LOG.info("{} from seed {}", kind, SEED);
    Random random = new Random(SEED);
    try (Server real = kind.start();
        Server model = ServerKind.model(lines(kind)).start()) {
      for (int i = 0; i < CONVERSATIONS; i++) {
        Bender bender = new Bender(random, "atk" + i + ":"); // nothing is left of the last one
        ByteArrayOutputStream requests = new ByteArrayOutputStream();
        for (int j = 0; j < REQUESTS; j++) {
          byte[] request = bender.next();
          if (isModelled(request)) {
            requests.writeBytes(request);
          }
        }
        String shown = Bytes.escaped(requests.toByteArray());
        requests.writeBytes(Bytes.of("\r\n" + "version\r\n".repeat(FENCES)));
        byte[] all = requests.toByteArray();
        String expected = masked(replies(real.address(), all));
        if (!LAST.matcher(expected).matches()) {
          continue; // it waits for more data, and says nothing any more when none comes
        }
        assertThat(masked(replies(model.address(), all)))
            .as("seed %d, conversation %d: %s", SEED, i, shown)
            .isEqualTo(expected);
        clear(real.address());
        clear(model.address());
      }
    }
  }

  // flush_all leaves what was written within the last second, in some versions.
  private static void clear(InetSocketAddress address) throws IOException {
    String keys = replies(address, Bytes.of("lru_crawler metadump all\r\n"));
    StringBuilder deletes = new StringBuilder("flush_all\r\n");
    for (String line : keys.split("\r?\n", -1)) {
      if (line.startsWith("key=")) {
        String coded = line.substring(4).split(" ", 2)[0].replace("+", "%2B");
        String key = URLDecoder.decode(coded, StandardCharsets.ISO_8859_1);
        String encoded = Base64.getEncoder().encodeToString(Bytes.of(key));
        deletes.append("md ").append(encoded).append(" b\r\n");
      }
    }
    replies(address, Bytes.of(deletes.toString()));
  }

  // Statistics, streams and numbers that a server chooses are another matter, and so is a line that
  // memcached takes when it comes at once, and does not when it comes in pieces.
  private static boolean isModelled(byte[] request) {
    String text = new String(request, StandardCharsets.ISO_8859_1);
    return request.length < 2_000
        && !text.matches("(?s).*[^ \r\n]{251}.*") // drops replies, if they wait to be sent
        && !text.matches(
            "(?s).*(stats|slabs|lru|watch|extstore|shutdown|refresh|misbehave|debugtime|cas|me |"
                + "cache_memlimit|quit|flush_all *[^ \\r\\n]).*")
        && !text.matches("(?s).*m[a-z] .* [CERIN].*");
  }

  private static String masked(String replies) {
    return replies
        .replaceAll("(?s)(VERSION [0-9.]+\r\n)+$", "$1")
        .replaceAll("(VALUE [^ ]* [0-9]+ [0-9]+) [0-9]+\r", "$1\r")
        .replaceAll("(?m)^(CLIENT|SERVER)_ERROR .*", "$1_ERROR")
        .replaceAll("\\b([chlt])-?[0-9]+", "$1")
        .replaceAll("( [WXZ])+\r", "\r");
  }

  // What is said until the other side closes behind the last request.
  private static String replies(InetSocketAddress address, byte[] requests) throws IOException {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout((int) Patience.LIMIT.toMillis());
      ByteArrayOutputStream replies = new ByteArrayOutputStream();
      try {
        socket.getOutputStream().write(requests);
        socket.shutdownOutput();
        socket.getInputStream().transferTo(replies);
      } catch (SocketException e) {
        // reset: closed with bytes unread
      }
      return replies.toString(StandardCharsets.ISO_8859_1);
    }
  }
}
