/**
 * Routing snapshots: the routes, rings, stores and limits that one configuration makes, for all
 * event loops. The rules themselves are in {@code route}. No connection is known here.
 */
@NullMarked
package sluice.gateway.routing;

import org.jspecify.annotations.NullMarked;
