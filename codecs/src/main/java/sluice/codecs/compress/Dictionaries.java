package sluice.codecs.compress;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Dictionaries of one pool. New values are compressed with the first; a stored value is
 * decompressed with the one that it names. Immutable.
 */
public final class Dictionaries {
  /** No dictionary. */
  public static final Dictionaries NONE = new Dictionaries(List.of());

  private final ZstdDictionary[] all;

  /**
   * Several dictionaries, each with a different id.
   *
   * @param all the one for new values first
   */
  public Dictionaries(List<ZstdDictionary> all) {
    this.all = all.toArray(ZstdDictionary[]::new);
  }

  /** The one for new values; null if there is none. */
  @Nullable ZstdDictionary first() {
    return all.length == 0 ? null : all[0];
  }

  /** The one with this id; null if there is none. */
  @Nullable ZstdDictionary withId(int id) {
    for (ZstdDictionary each : all) {
      if (each.id() == id) {
        return each;
      }
    }
    return null;
  }
}
