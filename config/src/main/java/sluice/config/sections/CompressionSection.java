package sluice.config.sections;

import java.util.List;
import java.util.Optional;
import sluice.config.files.DictionaryFiles;
import sluice.config.model.CompressionAlgorithm;
import sluice.config.model.CompressionConfig;
import sluice.config.model.DictionaryFile;
import sluice.config.model.OnCorrupt;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;

/** Description of a pool's {@code compression}: its keys, and its record. */
public final class CompressionSection {
  public static final Key<CompressionAlgorithm> ALGORITHM =
      Key.optional(
              "algorithm",
              Scalars.choice(CompressionAlgorithm.class),
              "Algorithm that compresses values.")
          .or("zstd");
  public static final Key<List<Checked<String>>> DICTIONARIES =
      Key.optional(
          "dictionaries",
          new Type.Items<>("file", Scalars.file(), true),
          "Files with Zstandard dictionaries. The first one compresses values; all of them are used"
              + " to decompress values.");
  public static final Key<Long> ABOVE =
      Key.optional("above", Quantities.size("1B", "1GiB"), "Only larger values are compressed.")
          .or("1KiB");
  public static final Key<Integer> KEEP_IF_UNDER =
      Key.optional(
              "keepIfUnder",
              Quantities.percent(),
              "A value is stored compressed only if it shrinks to less than this share of its"
                  + " size.")
          .or("90%");
  public static final Key<Integer> FLAG =
      Key.optional(
              "flag", Quantities.flag(), "The bit of an item's flags that marks compressed values.")
          .or("0x10000");
  public static final Key<Integer> ALREADY_COMPRESSED =
      Key.optional(
              "alreadyCompressed",
              Quantities.flags(),
              "Bits of an item's flags by which clients mark values that they compressed. Such"
                  + " values are stored unchanged.")
          .or("0x2");
  public static final Key<OnCorrupt> ON_CORRUPT =
      Key.optional(
              "onCorrupt",
              Scalars.choice(OnCorrupt.class),
              "Reply to a read of a value that has the bit but cannot be decompressed: an error, or"
                  + " the value as stored.")
          .or("error");

  /** Its keys, and the record's value for each. */
  public static final Layout<CompressionConfig> LAYOUT =
      Layout.of(CompressionConfig.class)
          .key(ALGORITHM, CompressionConfig::algorithm)
          .list(
              DICTIONARIES,
              compression ->
                  Optional.of(compression.dictionaries())
                      .filter(all -> !all.isEmpty())
                      .map(all -> all.stream().map(DictionaryFile::name).toList()))
          .key(ABOVE, CompressionConfig::aboveBytes)
          .key(KEEP_IF_UNDER, CompressionConfig::keepIfUnderPercent)
          .key(FLAG, CompressionConfig::flag)
          .key(ALREADY_COMPRESSED, CompressionConfig::alreadyCompressed)
          .key(ON_CORRUPT, CompressionConfig::onCorrupt);

  private CompressionSection() {}

  /** The record of a valid section. */
  static CompressionConfig bind(Fields compression, DictionaryFiles files) {
    return new CompressionConfig(
        compression.value(ALGORITHM),
        files.all(compression.items(DICTIONARIES)),
        compression.value(ABOVE),
        compression.value(KEEP_IF_UNDER),
        compression.value(FLAG),
        compression.value(ALREADY_COMPRESSED),
        compression.value(ON_CORRUPT));
  }
}
