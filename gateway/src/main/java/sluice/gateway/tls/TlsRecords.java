package sluice.gateway.tls;

import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;

/** Netty's TLS handler, with a count of the bytes of an incomplete record. */
final class TlsRecords extends SslHandler {
  TlsRecords(SSLEngine engine, long handshakeMillis) {
    super(engine);
    setHandshakeTimeoutMillis(handshakeMillis);
    // The connections limit how long a peer may take to read the rest: Netty's own limit would cut
    // that short.
    setCloseNotifyFlushTimeoutMillis(0);
  }

  /** Bytes received and not decrypted yet: less than one record, which has at most 16 KiB. */
  int heldBytes() {
    return internalBuffer().readableBytes();
  }
}
