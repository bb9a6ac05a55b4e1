/** Benchmarks, load generators and comparisons; nothing depends on what is here. */
package sluice.perf;
