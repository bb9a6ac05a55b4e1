package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;

/** Listener of gateways with TLS, for clients and the other gateway. */
final class SecureListener {
  static final int PORT = 11212;

  private SecureListener() {}

  /** That of a gateway whose other listener is given. */
  static InetSocketAddress address(InetSocketAddress gateway) {
    return new InetSocketAddress(gateway.getHostString(), PORT);
  }

  /** Its part of a configuration: with any certificate, and required or not. */
  static String yaml(String host, RandomGenerator random) {
    int number = random.nextInt(Certificates.COUNT);
    return """
      secure:
        bind: "%s:%d"
        route: cache
        allow: []
        tls: {certificate: %s, key: %s, plain: %s}
    """
        .formatted(
            host,
            PORT,
            Certificates.certificate(number),
            Certificates.key(number),
            random.nextBoolean());
  }
}
