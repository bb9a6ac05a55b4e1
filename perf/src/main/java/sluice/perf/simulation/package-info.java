/**
 * Deterministic simulation: real gateways on a simulated system, with clients that check every
 * reply, model servers, and faults. Everything follows from one seed.
 */
@NullMarked
package sluice.perf.simulation;

import org.jspecify.annotations.NullMarked;
