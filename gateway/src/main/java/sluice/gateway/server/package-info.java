/**
 * Servers as one event loop sees them: shared connections and exclusive ones, who waits for them,
 * and what is asked again when one is lost.
 *
 * <p>Not here: what happens on one connection ({@code connection}), how a protocol is spoken
 * ({@code protocol}), whether a server is well ({@code health}), connections of other event loops
 * ({@code shared}); which server a request goes to (route), what a client is told in which order
 * (client).
 */
package sluice.gateway.server;
