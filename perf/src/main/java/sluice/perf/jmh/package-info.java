/** JMH benchmarks of the codecs; each compares its results before any of them is timed. */
package sluice.perf.jmh;
