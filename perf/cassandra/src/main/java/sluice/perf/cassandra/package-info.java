/**
 * JMH benchmarks of the internode codecs beside Cassandra's own classes; each compares the results
 * of both before any of them is timed.
 */
package sluice.perf.cassandra;
