/**
 * Server connections that several event loops use: the loop with the socket is the owner, and the
 * others are its sharers. A pipe leads from each sharer's connection to the owner's.
 *
 * <p>Not here: the connections themselves, which are independent of who uses them (connection).
 */
@NullMarked
package sluice.gateway.server.shared;

import org.jspecify.annotations.NullMarked;
