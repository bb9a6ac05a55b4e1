package sluice.gateway.tls;

import java.io.IOException;

/**
 * Exception for a TLS handshake or connection that failed. The message states the reason for people
 * and is complete, so there is no stack trace.
 */
public final class TlsException extends IOException {
  private static final long serialVersionUID = 1;

  /** An exception for a reason, which names what was found. */
  public TlsException(String reason) {
    super("TLS: " + reason);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
