/**
 * Clients' connections: a dialect each, requests in order, replies in order.
 *
 * <p>Not here: how servers are reached and what they answer (server), who gets which key (route).
 */
package sluice.gateway.client;
