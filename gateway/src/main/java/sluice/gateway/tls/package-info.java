/**
 * TLS in front of the gateway's handlers: terminated on accepted sockets, originated on those to
 * servers. The handlers behind it get plain bytes, and one {@link sluice.gateway.tls.TlsException}
 * if it fails.
 *
 * <p>Not here: the files of certificates and keys, which {@code sluice.config} has checked.
 */
@NullMarked
package sluice.gateway.tls;

import org.jspecify.annotations.NullMarked;
