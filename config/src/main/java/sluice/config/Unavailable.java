package sluice.config;

import java.util.List;
import java.util.Optional;
import sluice.config.Checked.Fields;

/**
 * What is understood and not built: refused where it is written, never ignored.
 *
 * @param section {@code listeners} or {@code pools}
 * @param key of each of them
 * @param value the value that is not available; empty if the key is not
 */
record Unavailable(String section, String key, Optional<Object> value) {
  /** One line each. */
  static final List<Unavailable> ALL = List.of(key("pools", "compression"), key("pools", "values"));

  private static Unavailable key(String section, String key) {
    return new Unavailable(section, key, Optional.empty());
  }

  /** As the reference page calls it. */
  String label() {
    String value = this.value.map(v -> ": " + ((Labelled) v).label()).orElse("");
    return section + ".NAME." + key + value;
  }

  void check(Fields file, Problems problems) {
    for (Checked named : file.get(section).named().values()) {
      Checked found = named.fields().get(key);
      if (found.written() && (value.isEmpty() || value.equals(found.value()))) {
        problems.add(
            found.line(),
            found.column(),
            found.path(),
            found.shown(),
            Type.Nothing.INSTANCE.expected());
      }
    }
  }
}
