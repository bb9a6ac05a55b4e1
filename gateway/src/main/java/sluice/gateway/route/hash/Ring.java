package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Places keys on the members of a pool. Immutable: one ring serves any number of threads.
 *
 * <p>What each name means, and which other software agrees with it, stands in {@code
 * docs/hashing.md}.
 */
public final class Ring {
  /** A distribution by its name: by what it knows members, and how it is made. */
  private record Kind(Function<Member, String> identity, Factory factory) {}

  @FunctionalInterface
  private interface Factory {
    Distribution make(List<Member> members, HashFunction function);
  }

  private static final String CH3 = "ch3";
  private static final Map<String, Kind> KINDS = kinds();

  private static Map<String, Kind> kinds() {
    Function<Member, String> twemproxy = Member::twemproxyIdentity;
    Function<Member, String> libmemcached = Member::libmemcachedIdentity;
    Function<Member, String> own = Member::name;
    Map<String, Kind> kinds = new LinkedHashMap<>();
    kinds.put("ketama", new Kind(twemproxy, (members, f) -> Continuum.twemproxy(members)));
    kinds.put("ketama_libmemcached", new Kind(libmemcached, Continuum::libmemcached));
    kinds.put(
        "ketama_libmemcached_weighted",
        new Kind(libmemcached, (members, f) -> Continuum.libmemcachedWeighted(members)));
    kinds.put("modula", new Kind(twemproxy, (members, f) -> Modula.twemproxy(members)));
    kinds.put(
        "modula_libmemcached",
        new Kind(libmemcached, (members, f) -> Modula.libmemcached(members)));
    kinds.put("jump", new Kind(own, (members, f) -> new Jump(members)));
    kinds.put("rendezvous", new Kind(own, (members, f) -> new Rendezvous(members)));
    kinds.put("maglev", new Kind(own, (members, f) -> new Maglev(members)));
    kinds.put(CH3, new Kind(own, (members, f) -> new Furc(members.size())));
    return Collections.unmodifiableMap(kinds);
  }

  private final HashFunction function; // null with a distribution that has its own
  private final Distribution distribution;
  private final boolean alone;
  private final boolean tagged;
  private final byte open;
  private final byte close;

  private Ring(HashFunction function, Distribution distribution, String tag, int members) {
    this.function = function;
    this.distribution = distribution;
    alone = members == 1;
    tagged = !tag.isEmpty();
    open = tagged ? (byte) tag.charAt(0) : 0;
    close = tagged ? (byte) tag.charAt(1) : 0;
  }

  /** Names of the hash functions, aliases included. */
  public static Set<String> functions() {
    return HashFunction.names();
  }

  /** Names of the distributions. */
  public static Set<String> distributions() {
    return KINDS.keySet();
  }

  /**
   * A ring over members.
   *
   * @param function one of {@link #functions()}; not looked at with {@code ch3}, which is both
   * @param distribution one of {@link #distributions()}
   * @param tag empty, or two ASCII characters: of a key that has bytes between the first one and
   *     the next other, only those are hashed
   * @throws IllegalArgumentException what is wrong with an argument, as "found X, expected Y"
   */
  public static Ring of(String function, String distribution, String tag, List<Member> members) {
    return of(function, distribution, tag, members, Map.of(), 0, () -> 0);
  }

  /**
   * A ring some of whose members have just joined, and get their keys little by little.
   *
   * @param joinedAt by name, when members joined, in the clock's nanoseconds; if all of them have,
   *     they have their keys at once
   * @param growthNanos how long it takes until a member has all of its keys
   * @param clock asked for keys of members that joined; like {@link System#nanoTime}
   */
  public static Ring of(
      String function,
      String distribution,
      String tag,
      List<Member> members,
      Map<String, Long> joinedAt,
      long growthNanos,
      LongSupplier clock) {
    HashFunction hash = HashFunction.named(function);
    Kind kind = KINDS.get(distribution);
    if (kind == null) {
      throw new IllegalArgumentException(
          "distribution: found "
              + distribution
              + ", expected one of "
              + String.join(", ", KINDS.keySet()));
    }
    if (!(tag.isEmpty() || tag.length() == 2)
        || !StandardCharsets.US_ASCII.newEncoder().canEncode(tag)) {
      throw new IllegalArgumentException(
          "tag: found " + tag + ", expected two ASCII characters, or nothing");
    }
    if (members.isEmpty()) {
      throw new IllegalArgumentException("servers: found none, expected one or more");
    }
    Set<String> identities = new HashSet<>();
    for (Member member : members) {
      if (!identities.add(kind.identity.apply(member))) {
        throw new IllegalArgumentException(
            "servers: found " + kind.identity.apply(member) + " twice, expected each once");
      }
    }
    Distribution all = kind.factory.make(List.copyOf(members), hash);
    List<Member> grown = members.stream().filter(m -> !joinedAt.containsKey(m.name())).toList();
    boolean atOnce = grown.isEmpty() || grown.size() == members.size();
    Distribution placing =
        atOnce
            ? all
            : new Growing(
                all,
                grown.size() == 1 ? hashed -> 0 : kind.factory.make(grown, hash),
                members,
                joinedAt,
                growthNanos,
                clock);
    return new Ring(distribution.equals(CH3) ? null : hash, placing, tag, members.size());
  }

  /**
   * The index, in the list the ring was made of, of the member that has the key of length bytes at
   * offset. Borrows key, moves no index, allocates nothing.
   */
  public int serverOf(ByteBuf key, int offset, int length) {
    if (alone) {
      return 0;
    }
    if (tagged) {
      int end = offset + length;
      int opened = key.indexOf(offset, end, open);
      if (opened >= 0) {
        int closed = key.indexOf(opened + 1, end, close);
        if (closed > opened + 1) {
          return placed(key, opened + 1, closed - opened - 1);
        }
      }
    }
    return placed(key, offset, length);
  }

  private int placed(ByteBuf key, int offset, int length) {
    return distribution.memberOf(
        function == null ? Furc.hash(key, offset, length) : function.hash(key, offset, length));
  }
}
