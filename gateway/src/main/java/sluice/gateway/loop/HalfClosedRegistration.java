package sluice.gateway.loop;

import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoOps;

/**
 * Registration of a socket with epoll that lasts while nothing is awaited of the socket. Netty
 * 4.2.18 takes a socket without operations out of epoll, and then fails to change what is not there
 * any more: so it is with a half-closed one that is written to later. Edge-triggered and without
 * operations, a socket that was reset is reported once.
 */
final class HalfClosedRegistration implements IoRegistration {
  private final IoRegistration registration;

  HalfClosedRegistration(IoRegistration registration) {
    this.registration = registration;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // as it is declared
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
