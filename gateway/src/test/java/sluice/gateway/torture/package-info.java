/**
 * Load that checks itself, and peers that misbehave.
 *
 * <p>{@link sluice.gateway.torture.SelfCheck} sends random requests and judges every reply; {@link
 * sluice.gateway.torture.MisbehavingServer} and {@link sluice.gateway.torture.MisbehavingClients}
 * are the bad company. Plain sockets on purpose: what is under test shares no code with its judge.
 */
package sluice.gateway.torture;
