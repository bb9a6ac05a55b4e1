/** Benchmarks, load generators and comparisons; nothing depends on what is here. */
@NullMarked
package sluice.perf;

import org.jspecify.annotations.NullMarked;
