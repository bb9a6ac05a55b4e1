package sluice.config.model;

/**
 * Bytes that are replaced inside values.
 *
 * @param find what is looked for, as UTF-8; never empty
 * @param with what stands there instead, as UTF-8
 */
public record ReplacementConfig(String find, String with) {}
