/**
 * Health of servers, over all event loops: the status of each, and ejection.
 *
 * <p>Not here: connections, which report their results.
 */
package sluice.gateway.server.health;
