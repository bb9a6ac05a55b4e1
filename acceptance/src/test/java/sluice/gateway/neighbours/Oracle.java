package sluice.gateway.neighbours;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import sluice.testkit.hostile.Bender;
import sluice.testkit.hostile.PacketBender;

/** Attacks neighbours until one of them notices, and then looks for the fewest requests that do. */
final class Oracle {
  /** What requests are left out: to see what else there is while something is known. */
  private static final Pattern WITHOUT =
      Optional.ofNullable(System.getProperty("sluice.neighbours.without"))
          .map(Pattern::compile)
          .orElse(null);

  private static final int SHOWN = 6_000;
  private static final int LOOK_EVERY = 16;
  private static final int REMEMBERED = 64;
  private static final int MAX_CONNECTIONS = 3;
  private static final int MAX_REQUESTS = 24;

  private final Kind kind;
  private final List<ServerKind> servers;
  private final long seed;
  private final long patienceMillis;

  /** What was found: in words, and by which requests. */
  record Finding(String problem, List<Attack> attacks, boolean again) {
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(problem).append('\n');
      text.append(again ? "again with\n" : "not seen again with\n");
      attacks.forEach(text::append);
      return text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text.toString();
    }
  }

  Oracle(Kind kind, List<ServerKind> servers, long seed, long patienceMillis) {
    this.kind = kind;
    this.servers = servers;
    this.seed = seed;
    this.patienceMillis = patienceMillis;
  }

  private World world() throws IOException {
    return new World(kind, servers, seed, patienceMillis);
  }

  /** Attacks with this many requests; returns what was found first, or null. */
  Finding run(long requests) throws IOException {
    Random random = new Random(seed);
    Bender lines = new Bender(random, Kind.MINE);
    PacketBender packets = new PacketBender(random, Kind.MINE);
    Deque<Attack> last = new ArrayDeque<>();
    boolean binary = servers.stream().allMatch(ServerKind::knowsBinary);
    String problem = null;
    try (World world = world()) {
      long sent = 0;
      for (int round = 1; sent < requests && problem == null; round++) {
        Attack attack = attack(random, lines, binary ? packets : null);
        last.add(attack);
        if (last.size() > REMEMBERED) {
          last.remove();
        }
        sent += attack.size();
        problem = world.round(attack);
        if (problem == null && (round % LOOK_EVERY == 0 || sent >= requests)) {
          problem = world.look();
        }
      }
    }
    return problem == null ? null : shrink(problem, new ArrayList<>(last));
  }

  private static Attack attack(Random random, Bender lines, PacketBender packets) {
    List<List<byte[]>> connections = new ArrayList<>();
    for (int i = 1 + random.nextInt(MAX_CONNECTIONS); i > 0; i--) {
      List<byte[]> requests = new ArrayList<>();
      boolean binary = packets != null && random.nextInt(4) == 0;
      for (int j = 1 + random.nextInt(MAX_REQUESTS); j > 0; j--) {
        byte[] request = binary ? packets.next() : lines.next();
        if (WITHOUT == null || !WITHOUT.matcher(new String(request, ISO_8859_1)).find()) {
          requests.add(request);
        }
      }
      if (!requests.isEmpty()) {
        connections.add(requests);
      }
    }
    return new Attack(connections);
  }

  private Finding shrink(String problem, List<Attack> attacks) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String again = null;
    List<Attack> least = attacks;
    for (int count : new int[] {1, 2, LOOK_EVERY, REMEMBERED}) {
      if (again == null) {
        least = attacks.subList(Math.max(0, attacks.size() - count), attacks.size());
        again = attempt(least);
      }
    }
    if (again == null) {
      return new Finding(problem, attacks.subList(attacks.size() - 1, attacks.size()), false);
    }
    for (int i = 0; i < least.size() && least.size() > 1 && System.nanoTime() < end; ) {
      List<Attack> fewer = new ArrayList<>(least);
      fewer.remove(i);
      String found = attempt(fewer);
      if (found == null) {
        i++;
      } else {
        least = fewer;
        again = found;
      }
    }
    for (int i = 0; i < least.size(); i++) {
      int step = Math.max(1, least.get(i).size() / 2);
      while (step >= 1 && System.nanoTime() < end) {
        int from = 0;
        while (from < least.get(i).size() && System.nanoTime() < end) {
          List<Attack> fewer = new ArrayList<>(least);
          fewer.set(i, least.get(i).without(from, from + step));
          String found = attempt(fewer);
          if (found == null) {
            from += step;
          } else {
            least = fewer;
            again = found;
          }
        }
        step /= 2;
      }
    }
    return new Finding(again, least, true);
  }

  private String attempt(List<Attack> attacks) throws IOException {
    try (World world = world()) {
      String problem = null;
      for (int i = 0; i < attacks.size() && problem == null; i++) {
        problem = world.round(attacks.get(i));
      }
      return problem == null ? world.look() : problem;
    }
  }
}
