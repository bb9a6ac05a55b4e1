/**
 * The last hour of the process in figures: a ring of samples of fixed size, which one timer fills.
 *
 * <p>Not here: the counters that the samples are taken from, which are in the metrics package.
 */
@NullMarked
package sluice.gateway.history;

import org.jspecify.annotations.NullMarked;
