/**
 * One client's connection: replies in the order of requests, back-pressure, memory, and its end.
 *
 * <p>Not here: what a request says (client.text, client.binary), how it is sent (dispatch), how
 * servers are reached and what they answer (server).
 */
package sluice.gateway.client;
