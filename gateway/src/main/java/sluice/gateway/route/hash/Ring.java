package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import sluice.names.Distribution;
import sluice.names.HashFunction;

/**
 * Ring that places keys on the members of a pool. Immutable: one ring serves any number of threads.
 *
 * <p>{@code docs/reference/hashing.md} describes each distribution, and which other software agrees
 * with it.
 */
public final class Ring {
  @FunctionalInterface
  private interface Factory {
    Placement make(List<Member> members, HashFunction function);
  }

  private static final Map<Distribution, Factory> FACTORIES = factories();

  private static Map<Distribution, Factory> factories() {
    Map<Distribution, Factory> kinds = new EnumMap<>(Distribution.class);
    kinds.put(Distribution.KETAMA, (members, f) -> Continuum.twemproxy(members));
    kinds.put(Distribution.KETAMA_LIBMEMCACHED, Continuum::libmemcached);
    kinds.put(
        Distribution.KETAMA_LIBMEMCACHED_WEIGHTED,
        (members, f) -> Continuum.libmemcachedWeighted(members));
    kinds.put(Distribution.MODULA, (members, f) -> Modula.twemproxy(members));
    kinds.put(Distribution.MODULA_LIBMEMCACHED, (members, f) -> Modula.libmemcached(members));
    kinds.put(Distribution.JUMP, (members, f) -> new Jump(members));
    kinds.put(Distribution.RENDEZVOUS, (members, f) -> new Rendezvous(members));
    kinds.put(Distribution.MAGLEV, (members, f) -> new Maglev(members));
    kinds.put(Distribution.PYMEMCACHE, (members, f) -> new Pymemcache(members));
    kinds.put(Distribution.KETAMA_SPYMEMCACHED, Continuum::spymemcached);
    kinds.put(Distribution.CH3, (members, f) -> new Furc(members.size()));
    return kinds;
  }

  private final @Nullable HashFunction function; // null for a distribution that has its own
  private final Placement placement;
  private final boolean alone;
  private final boolean tagged;
  private final byte open;
  private final byte close;

  private Ring(@Nullable HashFunction function, Placement placement, String tag, int members) {
    this.function = function;
    this.placement = placement;
    alone = members == 1;
    tagged = !tag.isEmpty();
    open = tagged ? (byte) tag.charAt(0) : 0;
    close = tagged ? (byte) tag.charAt(1) : 0;
  }

  /**
   * A ring over members.
   *
   * @param function ignored for {@link Distribution#CH3} and {@link Distribution#PYMEMCACHE}, which
   *     have their own
   * @param tag empty, or two ASCII characters: in a key with bytes between the first character and
   *     the next occurrence of the second, only those bytes are hashed
   * @throws IllegalArgumentException for an invalid argument, as "found X, expected Y"
   */
  public static Ring of(
      HashFunction function, Distribution distribution, String tag, List<Member> members) {
    return of(function, distribution, tag, members, Map.of(), 0, () -> 0);
  }

  /**
   * A ring with members that have just joined, and get their keys gradually.
   *
   * @param joinedAt by name, when members joined, in the clock's nanoseconds; if all have joined,
   *     they get their keys at once
   * @param growthNanos how long it takes until a member has all of its keys
   * @param clock read for keys of members that joined; like {@link System#nanoTime}
   */
  public static Ring of(
      HashFunction function,
      Distribution distribution,
      String tag,
      List<Member> members,
      Map<String, Long> joinedAt,
      long growthNanos,
      LongSupplier clock) {
    Factory factory = Objects.requireNonNull(FACTORIES.get(distribution), distribution.label());
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
      if (!identities.add(member.nameIn(distribution))) {
        throw new IllegalArgumentException(
            "servers: found " + member.nameIn(distribution) + " twice, expected each once");
      }
    }
    Placement all = factory.make(List.copyOf(members), function);
    List<Member> grown = members.stream().filter(m -> !joinedAt.containsKey(m.name())).toList();
    boolean atOnce = grown.isEmpty() || grown.size() == members.size();
    Placement placing =
        atOnce
            ? all
            : new SlowStart(
                all,
                grown.size() == 1 ? hashed -> 0 : factory.make(grown, function),
                members,
                joinedAt,
                growthNanos,
                clock);
    return new Ring(
        distribution == Distribution.CH3 ? null : function, placing, tag, members.size());
  }

  /**
   * The member of the key of length bytes at offset, as an index in the list given to the
   * constructor. Borrows key, moves no index, allocates nothing.
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
    long hash =
        function == null
            ? Furc.hash(key, offset, length)
            : KeyHashes.hash(function, key, offset, length);
    return placement.memberOf(hash, key, offset, length);
  }
}
