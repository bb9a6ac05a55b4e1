package sluice.names;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Constant with a name for people to write and read. */
public interface Labelled {
  /** The name: in the configuration file, on the wire and in metrics. */
  String label();

  /**
   * The constant of that name.
   *
   * @throws IllegalArgumentException if there is none, as "found X, expected one of Y"
   */
  static <E extends Enum<E> & Labelled> E named(Class<E> type, String label) {
    for (E each : type.getEnumConstants()) {
      if (each.label().equals(label)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "found "
            + label
            + ", expected one of "
            + Arrays.stream(type.getEnumConstants())
                .map(Labelled::label)
                .collect(Collectors.joining(", ")));
  }
}
