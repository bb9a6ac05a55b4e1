package sluice.config.model;

/**
 * Large values are stored in pieces.
 *
 * @param aboveBytes the longest value that is stored whole, and what a piece has at most
 * @param flag the bit of an item's flags that marks such values
 */
public record SplitConfig(long aboveBytes, int flag) implements PolicyConfig {}
