/**
 * Server connections that several event loops use: the loop with the socket is the host, the others
 * are its guests, and a pipe leads from each guest's connection to the host's.
 *
 * <p>Not here: connections themselves, which do not know whether others use them (connection).
 */
package sluice.gateway.server.shared;
