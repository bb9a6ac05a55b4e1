package sluice.config.model;

/**
 * Storage of large values in chunks.
 *
 * @param aboveBytes the longest value that is stored whole, and the longest chunk
 * @param flag the bit of an item's flags that marks such values
 */
public record SplitConfig(long aboveBytes, int flag) implements PolicyConfig {}
