/**
 * The simulated system that gateways run on: one thread, a virtual clock, event loops, a network
 * and worker threads, all driven by random numbers from one seed.
 */
@NullMarked
package sluice.perf.simulation.system;

import org.jspecify.annotations.NullMarked;
