package sluice.codecs.buffer;

/**
 * What is replaced by what.
 *
 * @param find at least one byte
 * @param with any number of bytes
 */
public record Replacement(byte[] find, byte[] with) {}
