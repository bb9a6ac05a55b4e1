/**
 * Samples of single requests: hot keys, the slow log, the access log.
 *
 * <p>Here: the few requests that an event loop samples, the bounded queue to another thread, and
 * their processing there. A sample has keys, names, outcomes and times; values are never included.
 * Not here: counters of all requests, which are in the metrics package.
 */
@NullMarked
package sluice.gateway.samples;

import org.jspecify.annotations.NullMarked;
