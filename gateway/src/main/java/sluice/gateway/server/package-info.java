/**
 * Servers on one event loop: shared and exclusive connections, waiting requests, and retries after
 * a lost connection.
 *
 * <p>Not here: a single connection ({@code connection}), protocols ({@code protocol}), health
 * ({@code health}), connections of other event loops ({@code shared}). The choice of a request's
 * server is in the route package, the order of replies in the client package.
 */
@NullMarked
package sluice.gateway.server;

import org.jspecify.annotations.NullMarked;
