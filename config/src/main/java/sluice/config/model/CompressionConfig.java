package sluice.config.model;

import java.util.List;

/**
 * Compression of values on their way to servers.
 *
 * @param algorithm that values are compressed with
 * @param dictionaries for Zstandard, each with a different id; the first compresses, and all are
 *     used to decompress
 * @param aboveBytes only values larger than this are compressed
 * @param keepIfUnderPercent the compressed form is stored only if it is below this share of the
 *     value's size; 1 to 100
 * @param flag the bit of an item's flags that marks values compressed by the gateway: one bit of 32
 * @param alreadyCompressed bits of an item's flags that mark values compressed by clients, 0 for
 *     none; such values are left unchanged. Never contains {@link #flag}
 * @param onCorrupt the reply to a read that finds the mark on other bytes
 */
public record CompressionConfig(
    CompressionAlgorithm algorithm,
    List<DictionaryFile> dictionaries,
    long aboveBytes,
    int keepIfUnderPercent,
    int flag,
    int alreadyCompressed,
    OnCorrupt onCorrupt) {}
