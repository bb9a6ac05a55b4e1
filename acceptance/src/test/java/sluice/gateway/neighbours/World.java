package sluice.gateway.neighbours;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;
import sluice.testkit.hostile.Bytes;
import sluice.testkit.model.Server;

/**
 * Servers, a gateway before them, and eight well-behaved clients on the server connections that
 * hostile clients share with them.
 *
 * <p>A problem is one of: a neighbour's reply that is wrong, missing or closed; a server connection
 * of theirs that is gone; bytes from a server that broke the protocol; a key that hostile clients
 * may not touch, touched; an effect of a command that the configuration does not allow.
 */
final class World implements AutoCloseable {
  private static final Pattern ERRORS =
      Pattern.compile(
          "^sluice_server_protocol_errors_total(?:\\{[^}]*})? ([0-9.eE+]+)", Pattern.MULTILINE);
  private static final String CANARY = "canary:";
  private static final int CANARIES = 3;
  private static final int NEIGHBOURS = 8;
  private static final int BEFORE = 1;
  private static final int BEHIND = 3;

  private final Kind kind;
  private final long patienceMillis;
  private final List<Server> servers = new ArrayList<>();
  private final List<Socket> controls = new ArrayList<>();
  private final List<BufferedReader> answers = new ArrayList<>();
  private final List<Neighbour> neighbours = new ArrayList<>();
  private final List<Set<String>> connections = new ArrayList<>();
  private final List<Map<String, String>> settings = new ArrayList<>();
  private final Selector selector;
  private final Selector hostile;
  private final Gateway gateway;
  private final Random random;
  private final Errors errors = new Errors();

  World(Kind kind, List<ServerKind> kinds, long seed, long patienceMillis) throws IOException {
    this.kind = kind;
    this.patienceMillis = patienceMillis;
    random = new Random(seed);
    boolean meta = kinds.stream().allMatch(ServerKind::knowsMeta);
    boolean binary = kinds.stream().allMatch(ServerKind::knowsBinary);
    List<Integer> ports = new ArrayList<>();
    int count = kind.servers() + (kind.second() ? 1 : 0);
    for (int i = 0; i < count; i++) {
      Server server = kinds.get(i % kinds.size()).start();
      servers.add(server);
      ports.add(server.address().getPort());
      Socket control = new Socket(server.address().getAddress(), server.address().getPort());
      control.setSoTimeout(20_000);
      controls.add(control);
      answers.add(
          new BufferedReader(
              new InputStreamReader(control.getInputStream(), StandardCharsets.ISO_8859_1)));
    }
    selector = Selector.open();
    hostile = Selector.open();
    String timeout = Math.max(1_000, patienceMillis / 2) + "ms";
    LoadResult loaded = Loader.parse("neighbours.yaml", kind.yaml(ports, timeout));
    if (!loaded.problems().isEmpty()) {
      throw new IllegalStateException(loaded.problems().toString());
    }
    try {
      gateway = Gateways.start(loaded.configuration()).await(20, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the gateway did not start", e);
    }
    for (int i = 0; i < controls.size(); i++) {
      for (int canary = 0; canary < CANARIES; canary++) {
        say(i, "set " + CANARY + canary + " 5 0 2\r\n17", "STORED");
      }
    }
    InetSocketAddress address = address("cache");
    for (int i = 0; i < NEIGHBOURS; i++) {
      String name = "nb:" + (i % 2 == 0 ? "a" : "b") + i;
      neighbours.add(
          i >= 6 && binary
              ? new BinaryNeighbour(name, address, selector)
              : i >= 3 && meta
                  ? new MetaNeighbour(name, address, selector)
                  : new TextNeighbour(name, address, selector));
    }
    String problem = null;
    for (int i = 0; i < 3 && problem == null; i++) {
      problem = round(new Attack(List.of()));
    }
    if (problem != null) {
      throw new IllegalStateException("without any attack: " + problem);
    }
    for (int i = 0; i < controls.size(); i++) {
      connections.add(addresses(i));
      settings.add(limits(i));
    }
  }

  private InetSocketAddress address(String listener) {
    String address = gateway.address(listener);
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  /** Carries the attack out, neighbours before and behind it; returns what was wrong, or null. */
  String round(Attack attack) throws IOException {
    String problem = carryOut(attack);
    return problem == null ? null : problem + closedBehind();
  }

  private String closedBehind() {
    StringBuilder told = new StringBuilder();
    for (Server server : servers) {
      if (!server.closedBehind().isEmpty()) {
        told.append("; a server closed behind ").append(server.closedBehind());
      }
    }
    return told.toString();
  }

  private String carryOut(Attack attack) throws IOException {
    List<SocketChannel> attackers = new ArrayList<>();
    try {
      for (int i = 0; i < attack.connections().size(); i++) {
        SocketChannel attacker = SocketChannel.open(address("attack"));
        attacker.configureBlocking(false);
        attackers.add(attacker);
        attacker.register(hostile, SelectionKey.OP_READ);
      }
      ask(BEFORE);
      for (int i = 0; i < attackers.size(); i++) {
        write(attackers.get(i), Bytes.concat(attack.connections().get(i).toArray(byte[][]::new)));
      }
      ask(BEHIND);
      String problem = hear();
      if (problem == null) {
        drain();
        ask(BEHIND);
        problem = hear();
      }
      return problem;
    } finally {
      for (SocketChannel attacker : attackers) {
        attacker.close();
      }
    }
  }

  private void ask(int count) {
    for (Neighbour neighbour : neighbours) {
      for (int i = 0; i < count; i++) {
        neighbour.ask(random);
      }
      neighbour.send();
    }
  }

  // An attacker that is closed or not read any more is none of anybody's concern.
  private void write(SocketChannel attacker, byte[] bytes) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
    try {
      while (left.hasRemaining() && System.nanoTime() < end) {
        if (attacker.write(left) == 0) {
          drain();
          Thread.onSpinWait();
        }
      }
    } catch (IOException e) {
      attacker.close();
    }
  }

  private void drain() throws IOException {
    ByteBuffer ignored = ByteBuffer.allocate(64 * 1024);
    hostile.selectNow();
    for (SelectionKey key : hostile.selectedKeys()) {
      try {
        while (key.isValid() && ((SocketChannel) key.channel()).read(ignored.clear()) > 0) {
          // on
        }
      } catch (IOException e) {
        key.cancel();
      }
    }
    hostile.selectedKeys().clear();
  }

  private String hear() throws IOException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    while (true) {
      boolean answered = true;
      for (Neighbour neighbour : neighbours) {
        if (neighbour.problem() != null) {
          return neighbour.problem();
        }
        answered &= neighbour.isAnswered();
      }
      if (answered) {
        return null;
      }
      if (System.nanoTime() > end) {
        return neighbours.stream().filter(n -> !n.isAnswered()).findFirst().get().waitsFor();
      }
      selector.select(20);
      for (SelectionKey key : selector.selectedKeys()) {
        ((Neighbour) key.attachment()).read();
      }
      selector.selectedKeys().clear();
      drain();
    }
  }

  /** Looks at servers and counters; returns what was wrong, or null. */
  String look() throws IOException {
    if (errors.first() != null) {
      return "the gateway logged an error: " + errors.first();
    }
    Matcher matcher = ERRORS.matcher(gateway.scrape());
    while (matcher.find()) {
      if (Double.parseDouble(matcher.group(1)) > 0) {
        return "a server said what the gateway does not expect: " + matcher.group();
      }
    }
    for (int i = 0; i < controls.size(); i++) {
      Set<String> lost = new LinkedHashSet<>(connections.get(i));
      lost.removeAll(addresses(i));
      if (!lost.isEmpty()) {
        return "a server connection of the neighbours is gone: " + lost + closedBehind();
      }
      Map<String, String> limits = limits(i);
      if (!limits.equals(settings.get(i))) {
        return "a command that is not allowed took effect: " + settings.get(i) + " -> " + limits;
      }
      String problem = keys(i);
      if (problem != null) {
        return problem;
      }
    }
    return null;
  }

  private Set<String> addresses(int server) throws IOException {
    return new LinkedHashSet<>(stats(server, "stats conns", ":addr").values());
  }

  private Map<String, String> limits(int server) throws IOException {
    Map<String, String> found = new TreeMap<>();
    found.putAll(stats(server, "stats", "cmd_flush"));
    found.putAll(stats(server, "stats settings", "maxbytes"));
    found.putAll(stats(server, "stats settings", "verbosity"));
    return found;
  }

  private Map<String, String> stats(int server, String request, String ending) throws IOException {
    Map<String, String> found = new HashMap<>();
    for (String line : lines(server, request)) {
      String[] parts = line.split(" ", 3);
      if (parts.length == 3 && parts[1].endsWith(ending)) {
        found.put(parts[1], parts[2]);
      }
    }
    return found;
  }

  private List<String> lines(int server, String request) throws IOException {
    controls.get(server).getOutputStream().write(Bytes.of(request + "\r\n"));
    List<String> lines = new ArrayList<>();
    while (true) {
      String line = answers.get(server).readLine();
      if (line == null) {
        throw new IOException("the server is gone");
      }
      if (line.equals("END") || line.matches("(CLIENT_|SERVER_)?ERROR.*|BUSY.*|RESET")) {
        return lines;
      }
      lines.add(line);
    }
  }

  private void say(int server, String request, String expected) throws IOException {
    controls.get(server).getOutputStream().write(Bytes.of(request + "\r\n"));
    String line = answers.get(server).readLine();
    if (!expected.equals(line)) {
      throw new IOException(request + ": " + line);
    }
  }

  // What hostile clients may not touch is there unchanged, and nothing else is.
  private String keys(int server) throws IOException {
    if (kind.owned() == null) {
      return null;
    }
    StringBuilder get = new StringBuilder("get");
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < CANARIES; i++) {
      get.append(' ').append(CANARY).append(i);
      expected.append("VALUE ").append(CANARY).append(i).append(" 5 2\n17\n");
    }
    StringBuilder found = new StringBuilder();
    for (String line : lines(server, get.toString())) {
      found.append(line).append('\n');
    }
    if (!found.toString().contentEquals(expected)) {
      return "a key that is not theirs was changed: " + Bytes.escaped(Bytes.of(found.toString()));
    }
    for (String line : lines(server, "lru_crawler metadump all")) {
      String coded = line.startsWith("key=") ? line.substring(4).split(" ", 2)[0] : CANARY;
      String key = URLDecoder.decode(coded.replace("+", "%2B"), StandardCharsets.ISO_8859_1);
      if (!key.matches(kind.owned()) && !key.startsWith(CANARY) && !key.startsWith("nb:")) {
        return "a key that is not theirs is there: " + Bytes.escaped(Bytes.of(key));
      }
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    for (Neighbour neighbour : neighbours) {
      neighbour.close();
    }
    try {
      gateway.close().await(40, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the gateway did not stop", e);
    } finally {
      errors.close();
      selector.close();
      hostile.close();
      for (Socket control : controls) {
        control.close();
      }
      for (Server server : servers) {
        server.close();
      }
    }
  }
}
