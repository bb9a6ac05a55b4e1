package sluice.config.importing;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rule fields that are equivalent to one of mcrouter's route handles. */
record McrouterAction(Map<String, Object> fields) {
  static McrouterAction pool(String name) {
    return of("pool", name);
  }

  static McrouterAction reject(String text) {
    String clean = text.replaceAll("[^ -~]", "?");
    return of(
        "reject", clean.isEmpty() ? "error" : clean.substring(0, Math.min(200, clean.length())));
  }

  static McrouterAction of(String key, Object value) {
    return new McrouterAction(new LinkedHashMap<>(Map.of(key, value)));
  }

  /** A copy with a further key; an earlier value of that key is replaced. */
  McrouterAction with(String key, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(fields);
    all.put(key, value);
    return new McrouterAction(all);
  }

  boolean isRejected() {
    return fields.containsKey("reject");
  }

  /** Whether it is one pool and nothing else. */
  boolean isPool() {
    return fields.size() == 1 && fields.containsKey("pool");
  }

  @Nullable String pool() {
    return (String) fields.get("pool");
  }
}
