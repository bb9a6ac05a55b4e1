/**
 * Health of servers, over all event loops: what is known of each, and whether it is ejected.
 *
 * <p>Not here: connections, which report what they see.
 */
package sluice.gateway.server.health;
