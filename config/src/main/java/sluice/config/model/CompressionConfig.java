package sluice.config.model;

/**
 * How values are made smaller on their way to servers.
 *
 * @param algorithm what they are compressed with
 * @param aboveBytes only values larger than this are compressed
 * @param keepIfUnderPercent of its size: what a value must come below to be stored compressed; 1 to
 *     100
 * @param flag the bit of an item's flags that marks what the gateway compressed: one bit of 32
 * @param alreadyCompressed bits of an item's flags that clients mark compressed values with, 0 for
 *     none; a value with one of them is left as it is. Never {@link #flag}
 * @param onCorrupt what a read gets that finds the mark on something else
 */
public record CompressionConfig(
    CompressionAlgorithm algorithm,
    long aboveBytes,
    int keepIfUnderPercent,
    int flag,
    int alreadyCompressed,
    OnCorrupt onCorrupt) {}
