package sluice.config.model;

/**
 * Reads whose connection was lost before their reply began are asked again.
 *
 * @param max how often one request is
 * @param budgetPercent of a pool's requests: more are not asked again
 */
public record RetriesConfig(int max, int budgetPercent) {}
