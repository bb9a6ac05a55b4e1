package sluice.gateway.tls;

import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;

/** Netty's handler, which also tells how much of a record it waits for the rest of. */
final class TlsRecords extends SslHandler {
  TlsRecords(SSLEngine engine, long handshakeMillis) {
    super(engine);
    setHandshakeTimeoutMillis(handshakeMillis);
    // How long a peer may take over what is left for it, connections know: Netty's own limit would
    // cut that short.
    setCloseNotifyFlushTimeoutMillis(0);
  }

  /** Bytes that came and are not decrypted yet: less than one record, which has at most 16 KiB. */
  int heldBytes() {
    return internalBuffer().readableBytes();
  }
}
