/**
 * Routing snapshots: the routes, rings, stores and limits of one configuration, for all event
 * loops. The rules themselves are in {@code route}. No connection is known here.
 */
@NullMarked
package sluice.gateway.routing;

import org.jspecify.annotations.NullMarked;
