package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.gateway.route.hash.Member;
import sluice.gateway.route.hash.Ring;
import sluice.names.Distribution;
import sluice.names.HashFunction;
import sluice.names.Labelled;

/**
 * Which of 20 servers has a key: each distribution, with the hash function fnv1a_32. An operation
 * places the next of 1,024 keys, so that no branch is learned by heart.
 */
public class DistributionBenchmark extends CodecBenchmark {
  private static final int SERVERS = 20;
  private static final int KEYS = 1024; // a power of two
  private static final int KEY_LENGTH = 16;
  private static final HashFunction FUNCTION = HashFunction.FNV1A_32;

  /** Its name in configurations. */
  @Param({
    "ketama",
    "ketama_libmemcached",
    "ketama_libmemcached_weighted",
    "modula",
    "modula_libmemcached",
    "jump",
    "rendezvous",
    "maglev",
    "ch3"
  })
  public String distribution;

  private final List<Member> members =
      IntStream.range(0, SERVERS)
          .mapToObj(i -> new Member("10.0.0." + i + ":11311", "10.0.0." + i, 11311, 1))
          .toList();
  private Ring ring;
  private ByteBuf keys;
  private int next;

  /** Compares every key's server with what the distribution is, or must do, by definition. */
  @Setup
  public void setup() throws NoSuchAlgorithmException {
    ring = ring(members);
    keys = direct(KEYS * KEY_LENGTH);
    for (int i = 0; i < KEYS; i++) {
      keys.writeCharSequence("key:%012d".formatted(i * 7919L), StandardCharsets.US_ASCII);
    }
    Reference reference = reference();
    Set<Integer> servers = new HashSet<>();
    for (int i = 0; i < KEYS; i++) {
      int found = server();
      servers.add(found);
      if (!reference.has(found, i * KEY_LENGTH)) {
        throw new IllegalStateException(distribution + ": key " + i + " is not of server " + found);
      }
    }
    same(servers.size(), SERVERS, "servers that have keys");
  }

  private Ring ring(List<Member> of) {
    return Ring.of(FUNCTION, Labelled.named(Distribution.class, distribution), "", of);
  }

  /** Whether a server may have the key at an offset. */
  private interface Reference {
    boolean has(int server, int key);
  }

  private Reference reference() throws NoSuchAlgorithmException {
    List<Integer> listed = IntStream.range(0, SERVERS).boxed().toList();
    List<Integer> shortestFirst =
        listed.stream()
            .sorted(
                Comparator.<Integer>comparingInt(i -> members.get(i).name().length())
                    .thenComparing(i -> members.get(i).name()))
            .toList();
    return switch (distribution) {
      case "ketama", "ketama_libmemcached_weighted" -> onCircle(digestedPoints());
      case "ketama_libmemcached" -> onCircle(plainPoints());
      case "modula" -> (server, key) -> shortestFirst.get((int) (hash(key) % SERVERS)) == server;
      case "modula_libmemcached" -> (server, key) -> hash(key) % SERVERS == server;
      case "rendezvous" -> winnerOfEveryPair();
      case "maglev" -> sameInAnyOrder();
      default -> sameWithoutTheLast();
    };
  }

  private long hash(int key) {
    byte[] bytes = new byte[KEY_LENGTH];
    keys.getBytes(key, bytes);
    return fnv1a(bytes);
  }

  private static long fnv1a(byte[] bytes) {
    long hash = 0x811C9DC5L;
    for (byte each : bytes) {
      hash = ((hash ^ (each & 0xFF)) * 0x01000193L) & 0xFFFF_FFFFL;
    }
    return hash;
  }

  private Reference onCircle(NavigableMap<Long, Integer> points) {
    return (server, key) -> {
      var point = points.ceilingEntry(hash(key));
      return (point == null ? points.firstEntry() : point).getValue() == server;
    };
  }

  /** Four points of each MD5 of {@code server-number}, 160 for each server. */
  private NavigableMap<Long, Integer> digestedPoints() throws NoSuchAlgorithmException {
    NavigableMap<Long, Integer> points = new TreeMap<>();
    MessageDigest md5 = MessageDigest.getInstance("MD5");
    for (int server = 0; server < SERVERS; server++) {
      for (int number = 0; number < 40; number++) {
        byte[] digest = md5.digest(bytes(members.get(server).name() + "-" + number));
        ByteBuffer words = ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN);
        while (words.hasRemaining()) {
          points.put(words.getInt() & 0xFFFF_FFFFL, server);
        }
      }
    }
    same(points.size(), 160 * SERVERS, "points on the circle");
    return points;
  }

  /** The key's own hash function of {@code server-number}, 100 for each server. */
  private NavigableMap<Long, Integer> plainPoints() {
    NavigableMap<Long, Integer> points = new TreeMap<>();
    for (int server = 0; server < SERVERS; server++) {
      for (int number = 0; number < 100; number++) {
        points.put(fnv1a(bytes(members.get(server).name() + "-" + number)), server);
      }
    }
    same(points.size(), 100 * SERVERS, "points on the circle");
    return points;
  }

  /** Of any two servers alone, too, the one that wins among all has the key. */
  private Reference winnerOfEveryPair() {
    Ring[][] pairs = new Ring[SERVERS][SERVERS];
    for (int one = 0; one < SERVERS; one++) {
      for (int other = 0; other < SERVERS; other++) {
        if (one != other) {
          pairs[one][other] = ring(List.of(members.get(one), members.get(other)));
        }
      }
    }
    return (server, key) ->
        IntStream.range(0, SERVERS)
            .filter(other -> other != server)
            .allMatch(other -> pairs[server][other].serverOf(keys, key, KEY_LENGTH) == 0);
  }

  /** For servers listed in any order. */
  private Reference sameInAnyOrder() {
    List<Member> turned = new ArrayList<>(members);
    Collections.reverse(turned);
    Ring ring = ring(turned);
    return (server, key) -> turned.get(ring.serverOf(keys, key, KEY_LENGTH)) == members.get(server);
  }

  /** Without the last server every key stays that was not its own. */
  private Reference sameWithoutTheLast() {
    Ring ring = ring(members.subList(0, SERVERS - 1));
    return (server, key) -> server == SERVERS - 1 || ring.serverOf(keys, key, KEY_LENGTH) == server;
  }

  /** The next key's server. */
  @Benchmark
  public int server() {
    int key = next;
    next = (next + 1) & (KEYS - 1);
    return ring.serverOf(keys, key * KEY_LENGTH, KEY_LENGTH);
  }
}
