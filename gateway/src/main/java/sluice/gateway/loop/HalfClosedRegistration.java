package sluice.gateway.loop;

import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoOps;

/**
 * Registration of a socket with epoll that stays while no operation is requested. Netty 4.2.18
 * removes a socket without operations from epoll, and later fails to change the missing entry. This
 * happens to a half-closed socket that is written to later. Edge-triggered and without operations,
 * a reset socket is reported once.
 */
final class HalfClosedRegistration implements IoRegistration {
  private final IoRegistration registration;

  HalfClosedRegistration(IoRegistration registration) {
    this.registration = registration;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // as declared by the interface
  public <T> T attachment() {
    return registration.attachment();
  }

  @Override
  public long submit(IoOps ops) {
    return registration.submit(EpollIoOps.NONE.equals(ops) ? EpollIoOps.EPOLLET : ops);
  }

  @Override
  public boolean isValid() {
    return registration.isValid();
  }

  @Override
  public boolean cancel() {
    return registration.cancel();
  }
}
