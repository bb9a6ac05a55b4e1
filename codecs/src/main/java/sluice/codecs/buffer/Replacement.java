package sluice.codecs.buffer;

/** Byte string and what replaces it. */
public record Replacement(byte[] find, byte[] with) {}
