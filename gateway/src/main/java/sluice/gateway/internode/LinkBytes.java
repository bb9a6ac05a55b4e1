package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import sluice.codecs.buffer.ByteSink;

/**
 * Traffic of a link whose contents the gateway does not read: bytes pass unchanged, and none are
 * held.
 */
final class LinkBytes implements LinkTraffic {
  /** Silence after which a link is taken to be between two messages. */
  static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ByteSink toServer;
  private final ByteSink toInitiator;

  /** Traffic between two sinks, which consume the bytes they get. */
  LinkBytes(ByteSink toServer, ByteSink toInitiator) {
    this.toServer = toServer;
    this.toInitiator = toInitiator;
  }

  @Override
  public void fromInitiator(ByteBuf bytes) {
    toServer.accept(bytes);
  }

  @Override
  public void fromServer(ByteBuf bytes) {
    toInitiator.accept(bytes);
  }

  @Override
  public long heldBytes() {
    return 0;
  }

  @Override
  public boolean hasLeft(long silentNanos) {
    return silentNanos > QUIET_NANOS;
  }

  @Override
  public void close() {}
}
