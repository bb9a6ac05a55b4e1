package sluice.config.model;

/**
 * Replacement of bytes inside values.
 *
 * @param find text to find, as UTF-8; never empty
 * @param with text that replaces it, as UTF-8
 */
public record ReplacementConfig(String find, String with) {}
