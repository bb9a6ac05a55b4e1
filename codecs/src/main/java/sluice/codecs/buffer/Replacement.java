package sluice.codecs.buffer;

/** Byte string and its replacement. */
public record Replacement(byte[] find, byte[] with) {}
