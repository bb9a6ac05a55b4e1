package sluice.gateway.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which cas unique of one server means the same as which of the other. Each state of a key has one
 * number at either, and no two states share one: a mapping key by key, both ways.
 */
final class CasMap {
  /** The numbers of one state. */
  record Pair(long direct, long through) {}

  private final Map<String, Map<Long, Long>> through = new HashMap<>();
  private final Map<String, Map<Long, Long>> direct = new HashMap<>();
  private final Map<String, List<Pair>> history = new HashMap<>();

  /** Takes in that the two servers told these; null, or what is wrong about it. */
  String learn(String key, long atDirect, long atThrough) {
    if (atDirect == 0 || atThrough == 0) { // none
      return atDirect == atThrough ? null : differ(key, atDirect, atThrough, "0 is no cas unique");
    }
    Long known =
        through.computeIfAbsent(key, k -> new HashMap<>()).putIfAbsent(atDirect, atThrough);
    if (known != null && known != atThrough) {
      return differ(key, atDirect, atThrough, "the first went with " + known + " before");
    }
    Long back = direct.computeIfAbsent(key, k -> new HashMap<>()).putIfAbsent(atThrough, atDirect);
    if (back != null && back != atDirect) {
      return differ(key, atDirect, atThrough, "the second went with " + back + " before");
    }
    if (known == null) {
      history.computeIfAbsent(key, k -> new ArrayList<>()).add(new Pair(atDirect, atThrough));
    }
    return null;
  }

  private static String differ(String key, long one, long other, String why) {
    return "cas of %s: %s and %s, but %s"
        .formatted(Escapes.of(key), Long.toUnsignedString(one), Long.toUnsignedString(other), why);
  }

  /** What an operation of this number sends to either server. */
  Pair choose(Operation operation) {
    Pair none = new Pair(0, 0);
    if (operation.cas() == Cas.NONE || operation.cas() == Cas.ZERO) {
      return none;
    }
    long unheardOf = (1L << 62) + operation.number();
    List<Pair> known = history.getOrDefault(operation.keys().get(0).raw(), List.of());
    int back = operation.cas() == Cas.LATEST ? 1 : 2;
    return operation.cas() == Cas.UNHEARD_OF || known.size() < back
        ? new Pair(unheardOf, unheardOf)
        : known.get(known.size() - back);
  }
}
