/**
 * What a protocol has to bring to be spoken to servers, and what the replies in all of them have in
 * common: they are assembled for their clients, and bridged.
 *
 * <p>Not here: a protocol itself, which has a package of its own below this one; sockets and time.
 */
package sluice.gateway.server.protocol;
