package sluice.config.model;

/**
 * Retries of reads whose connection was lost before their reply began.
 *
 * @param max retries of one request
 * @param budgetPercent largest share of a pool's requests that are retried
 */
public record RetriesConfig(int max, int budgetPercent) {}
