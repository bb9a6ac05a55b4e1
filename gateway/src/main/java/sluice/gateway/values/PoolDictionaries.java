package sluice.gateway.values;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private final Map<DictionaryFile, ZstdDictionary> byFile;
  private final Dictionaries dictionaries;
  private final ValueSamples samples;

  private PoolDictionaries(Map<DictionaryFile, ZstdDictionary> byFile, ValueSamples samples) {
    this.byFile = byFile;
    this.samples = samples;
    dictionaries = new Dictionaries(List.copyOf(byFile.values()));
  }

  /**
   * The dictionaries of a configuration.
   *
   * @param before those of the same pool in the configuration before; null for none
   */
  public static PoolDictionaries of(CompressionConfig config, @Nullable PoolDictionaries before) {
    Map<DictionaryFile, ZstdDictionary> byFile = new LinkedHashMap<>();
    for (DictionaryFile file : config.dictionaries()) {
      ZstdDictionary known = before == null ? null : before.byFile.get(file);
      byFile.put(file, known == null ? ZstdDictionary.of(file.content()) : known);
    }
    return new PoolDictionaries(byFile, before == null ? new ValueSamples() : before.samples);
  }

  Dictionaries dictionaries() {
    return dictionaries;
  }

  /** Samples of the values that the pool compresses. */
  public ValueSamples samples() {
    return samples;
  }
}
