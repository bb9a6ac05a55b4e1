/**
 * Health of servers, over all event loops: the status of each, and ejection.
 *
 * <p>Not here: connections, which report their results.
 */
@NullMarked
package sluice.gateway.server.health;

import org.jspecify.annotations.NullMarked;
