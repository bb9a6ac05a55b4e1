/**
 * Connection of one client: replies in the order of requests, back-pressure, memory, and its end.
 *
 * <p>Not here: parsing of requests (client.text, client.binary), sending them (dispatch), servers
 * and their replies (server).
 */
@NullMarked
package sluice.gateway.client;

import org.jspecify.annotations.NullMarked;
