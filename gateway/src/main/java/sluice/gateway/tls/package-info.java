/**
 * TLS in front of our own handlers: terminated on accepted sockets, originated on those to servers.
 * What is behind it sees plain bytes, and one {@link sluice.gateway.tls.TlsException} if it fails.
 *
 * <p>Not here: what certificates and keys are read from; {@code sluice.config} has checked them.
 */
package sluice.gateway.tls;
