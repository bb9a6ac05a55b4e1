/**
 * The gateway between peers that misbehave, lie, stall and die.
 *
 * <p>Its clients and servers are {@code sluice.testkit}'s: load that checks itself, and bad
 * company. Here is what happens between them, and a gateway that is started for it.
 */
package sluice.gateway.torture;
