package sluice.gateway.process;

import io.vertx.core.transport.Transport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.IoUringTransport;
import sluice.gateway.loop.IterationTransport;

/** Choice of the sockets' transport ({@code process.transport}). */
final class Transports {
  private static final Logger LOG = LoggerFactory.getLogger(Transports.class);

  private Transports() {}

  /** The wanted transport, for event loops of the gateway; as {@link #choose}. */
  static IterationTransport forGateway(sluice.config.model.Transport wanted) {
    return new IterationTransport(choose(wanted));
  }

  /** The wanted transport; auto falls back to NIO, which is logged. */
  static Transport choose(sluice.config.model.Transport wanted) {
    return switch (wanted) {
      case AUTO -> {
        if (isAvailable(Transport.EPOLL)) {
          yield Transport.EPOLL;
        }
        LOG.warn(
            "process.transport: auto: using nio, because epoll is not available ({})",
            why(Transport.EPOLL));
        yield Transport.NIO;
      }
      case EPOLL -> require("epoll", Transport.EPOLL);
      case IO_URING -> require("io_uring", new IoUringTransport());
      case NIO -> Transport.NIO;
    };
  }

  private static Transport require(String name, @Nullable Transport transport) {
    if (transport == null || !transport.available()) {
      throw new IllegalStateException(
          "process.transport: found "
              + name
              + ", which is not available here ("
              + why(transport)
              + "), expected auto or nio");
    }
    return transport;
  }

  private static boolean isAvailable(@Nullable Transport transport) {
    return transport != null && transport.available();
  }

  private static String why(@Nullable Transport transport) {
    if (transport == null) {
      return "no native library for this platform";
    }
    Throwable cause = transport.unavailabilityCause();
    return cause == null ? "unknown" : String.valueOf(cause.getMessage());
  }
}
