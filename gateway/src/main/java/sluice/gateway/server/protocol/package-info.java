/**
 * Interfaces that a protocol for servers implements, and the common handling of replies: they are
 * assembled for their clients, and bridged.
 *
 * <p>Not here: the protocols, each in a package of its own below this one; sockets and time.
 */
@NullMarked
package sluice.gateway.server.protocol;

import org.jspecify.annotations.NullMarked;
