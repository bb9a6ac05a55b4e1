/**
 * Counters and times of the gateway.
 *
 * <p>Here: counters and histograms that an event loop writes without locks, atomics or garbage, and
 * their sums over all loops in Prometheus' format. Not here: the health of servers (the server
 * package), and the HTTP that serves the text (the admin package).
 */
@NullMarked
package sluice.gateway.metrics;

import org.jspecify.annotations.NullMarked;
