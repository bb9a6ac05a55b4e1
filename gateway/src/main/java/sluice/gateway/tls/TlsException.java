package sluice.gateway.tls;

import java.io.IOException;

/**
 * TLS could not be agreed on, or broke. The message says why, for people: it is all that is worth
 * knowing, so there is no stack trace.
 */
public final class TlsException extends IOException {
  private static final long serialVersionUID = 1;

  TlsException(String reason) {
    super("TLS: " + reason);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
