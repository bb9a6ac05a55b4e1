package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** A peer that has lost its power says nothing: the kernel is told to ask it now and then. */
class SilentPeersTest {
  // proc_net_tcp.txt of the kernel; IPv4 may be in either
  private static final List<Path> SOCKETS =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  private static final String ESTABLISHED = "01";
  private static final String KEEPALIVE = "02:";
  private static final int TICKS = 100; // a second

  /** A socket of the loopback address. */
  private record Entry(int localPort, int remotePort, String timer) {
    /** Whether the peer is asked after so many seconds of silence, or fewer. */
    boolean asksWithin(int seconds) {
      return timer.startsWith(KEEPALIVE)
          && Integer.parseInt(timer.substring(KEEPALIVE.length()), 16) <= seconds * TICKS;
    }
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
  }

  private static List<Entry> entries(Predicate<Entry> wanted) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path each : SOCKETS) {
      if (Files.exists(each)) {
        lines.addAll(Files.readAllLines(each));
      }
    }
    return lines.stream()
        .map(line -> line.strip().toUpperCase(Locale.ROOT).split("\\s+"))
        .filter(fields -> fields[3].equals(ESTABLISHED))
        .map(fields -> new Entry(port(fields[1]), port(fields[2]), fields[5]))
        .filter(wanted)
        .toList();
  }

  private static boolean allAsk(Predicate<Entry> wanted) throws IOException {
    List<Entry> found = entries(wanted);
    return !found.isEmpty() && found.stream().allMatch(entry -> entry.asksWithin(60));
  }

  @Test
  void shouldAskClientsAndServersThatAreSilent() throws Exception {
    assumeThat(SOCKETS.get(0)).isReadable();
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway = RunningGateway.before(server.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\nv\r\n")).isEqualTo("STORED");
      int there = server.address().getPort();
      int here = gateway.address().getPort();
      assertThat(Patience.soon(() -> allAsk(entry -> entry.remotePort() == there)))
          .as("servers")
          .isTrue();
      assertThat(Patience.soon(() -> allAsk(entry -> entry.localPort() == here)))
          .as("clients")
          .isTrue();
    }
  }
}
