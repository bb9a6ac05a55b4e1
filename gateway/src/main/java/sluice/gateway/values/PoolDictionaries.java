package sluice.gateway.values;

import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.codecs.compress.Dictionaries;
import sluice.codecs.compress.ZstdDictionary;
import sluice.config.model.CompressionConfig;
import sluice.config.model.DictionaryFile;

/**
 * Dictionaries of one pool's compression, and samples for the next one. All event loops share them.
 * A new configuration takes over what is the same.
 */
public final class PoolDictionaries {
  private final List<DictionaryFile> files;
  private final Dictionaries dictionaries;
  private final ValueSamples samples;

  private PoolDictionaries(
      List<DictionaryFile> files, Dictionaries dictionaries, ValueSamples samples) {
    this.files = files;
    this.dictionaries = dictionaries;
    this.samples = samples;
  }

  /**
   * The dictionaries of a configuration.
   *
   * @param before those of the same pool in the configuration before; null for none
   */
  public static PoolDictionaries of(CompressionConfig config, @Nullable PoolDictionaries before) {
    List<DictionaryFile> files = config.dictionaries();
    if (before == null) {
      return new PoolDictionaries(files, load(files), new ValueSamples());
    }
    return files.equals(before.files)
        ? before
        : new PoolDictionaries(files, load(files), before.samples);
  }

  private static Dictionaries load(List<DictionaryFile> files) {
    return files.isEmpty()
        ? Dictionaries.NONE
        : new Dictionaries(files.stream().map(file -> ZstdDictionary.of(file.content())).toList());
  }

  Dictionaries dictionaries() {
    return dictionaries;
  }

  /** Samples of the values that the pool compresses. */
  public ValueSamples samples() {
    return samples;
  }
}
