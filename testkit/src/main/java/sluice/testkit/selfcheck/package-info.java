/**
 * Load that checks itself: {@link sluice.testkit.selfcheck.SelfCheck} sends random requests and
 * judges every reply. Plain sockets on purpose: what is under test shares no code with its judge.
 */
package sluice.testkit.selfcheck;
