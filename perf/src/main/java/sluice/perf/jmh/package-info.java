/** JMH benchmarks of the codecs; each compares its results before any of them is timed. */
@NullMarked
package sluice.perf.jmh;

import org.jspecify.annotations.NullMarked;
