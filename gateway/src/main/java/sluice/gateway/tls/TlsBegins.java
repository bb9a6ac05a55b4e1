package sluice.gateway.tls;

/**
 * Event of a connection whose TLS is optional: the peer begins a handshake. A handler that closes
 * the channel refuses it.
 */
public enum TlsBegins {
  HANDSHAKE
}
