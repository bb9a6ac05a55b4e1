/**
 * Servers' connections: many clients' requests on one socket, replies matched back in order.
 *
 * <p>Not here: which server a request goes to (route), what a client is told in which order
 * (client).
 */
package sluice.gateway.server;
