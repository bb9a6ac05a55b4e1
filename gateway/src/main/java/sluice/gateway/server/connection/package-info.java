/**
 * One connection to a server: the queue of requests that wait, timeouts, pauses, keep-alive.
 *
 * <p>Not here: how replies are decoded (protocol), when connections are made and who gets one
 * (server), what is at the other end of a pipe (shared).
 */
package sluice.gateway.server.connection;
