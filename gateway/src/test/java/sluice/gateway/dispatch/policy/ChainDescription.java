package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.chunks.ChunkedBackend;
import sluice.gateway.dispatch.chunks.Split;
import sluice.gateway.values.TimesToLive;

/**
 * Description of a chain of backends: each policy by its key, around what it stands before, down to
 * the pools. Made of the objects' fields, so that a new backend shows without being asked.
 */
final class ChainDescription {
  private static final Map<Class<? extends Backend>, String> KEYS =
      Map.of(
          NearCacheBackend.class, "nearCache",
          ShadowBackend.class, "shadow",
          FailoverBackend.class, "failover",
          MigrateBackend.class, "migrate",
          CopyBackend.class, "replicate",
          FillOnMissBackend.class, "warmUp",
          HedgeBackend.class, "hedge",
          ChunkedBackend.class, "split");

  private ChainDescription() {}

  /** A chain in words, such as {@code failover(migrate(p, m), f)}. */
  static String of(Backend backend) {
    if (backend instanceof PoolBackend pool) {
      String name = pool.pool().name();
      return pool.work() instanceof TimesToLive ? "ttl(" + name + ")" : name;
    }
    assertThat(KEYS).containsKey(backend.getClass());
    return KEYS.get(backend.getClass()) + "(" + String.join(", ", inside(backend)) + ")";
  }

  private static List<String> inside(Object owner) {
    List<String> inside = new ArrayList<>();
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Field field : fields(owner.getClass())) {
      Object value = value(field, owner);
      boolean again = owner instanceof FillOnMissBackend && value instanceof CopyBackend;
      if (!again && seen.add(value)) { // that one has the pools of the fields beside it
        inside.addAll(described(value));
      }
    }
    return inside;
  }

  /** Fields of a class, those of its superclasses first. */
  private static List<Field> fields(Class<?> type) {
    if (type.getSuperclass() == null) {
      return List.of();
    }
    List<Field> fields = new ArrayList<>(fields(type.getSuperclass()));
    fields.addAll(List.of(type.getDeclaredFields()));
    return fields;
  }

  private static Object value(Field field, Object owner) {
    field.setAccessible(true);
    try {
      return field.get(owner);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> described(Object value) {
    if (value instanceof PoolBackend pool && pool.work() instanceof Split) {
      return List.of(); // the pool that the split itself names
    }
    if (value instanceof Backend backend) {
      return List.of(of(backend));
    }
    if (value instanceof Backend[] backends) {
      return Arrays.stream(backends).map(ChainDescription::of).toList();
    }
    return value instanceof CopyPolicy || value instanceof Split ? pools(value) : List.of();
  }

  /** Pools of a value; what is done with whole values before they are cut shows at the first. */
  private static List<String> pools(Object value) {
    List<String> pools = new ArrayList<>(inside(value));
    boolean bounded =
        Arrays.stream(value.getClass().getDeclaredFields())
            .anyMatch(field -> value(field, value) instanceof TimesToLive);
    if (bounded) {
      pools.set(0, "ttl(" + pools.get(0) + ")");
    }
    return pools;
  }
}
