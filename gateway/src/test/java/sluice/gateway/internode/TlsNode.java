package sluice.gateway.internode;

import java.io.IOException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/** Nodes that take links over TLS. */
final class TlsNode {
  private TlsNode() {}

  /** One that answers every handshake with these bytes, and takes whoever comes. */
  static FakeNode answering(byte[] answer, SSLContext tls) throws IOException {
    return new FakeNode(answer, 0, socket(tls));
  }

  /** One that wants to see a certificate. */
  static FakeNode demanding(byte[] answer, SSLContext tls, String... protocols) throws IOException {
    SSLServerSocket socket = socket(tls);
    socket.setNeedClientAuth(true);
    if (protocols.length > 0) {
      socket.setEnabledProtocols(protocols);
    }
    return new FakeNode(answer, 0, socket);
  }

  /** One whose kernel takes little, and which reads only when it is told to. */
  static FakeNode slow(byte[] answer, SSLContext tls) throws IOException {
    SSLServerSocket socket = socket(tls);
    socket.setReceiveBufferSize(16 * 1024);
    return new FakeNode(answer, 16 * 1024, socket);
  }

  private static SSLServerSocket socket(SSLContext tls) throws IOException {
    return (SSLServerSocket) tls.getServerSocketFactory().createServerSocket();
  }
}
