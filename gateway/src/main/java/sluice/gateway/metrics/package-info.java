/**
 * What the gateway counts and how long things took.
 *
 * <p>Here: counters and histograms that an event loop writes without locks, atomics or garbage, and
 * the sums over all loops in Prometheus' format. Not here: who is healthy and why (the server
 * package), and the HTTP that serves the text (the admin package).
 */
package sluice.gateway.metrics;
