package sluice.gateway.internode;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.net.ClientAddress;

/** Log of one link: its lines name the listener, the type of the link, and who opened it. */
final class LinkLog {
  private static final Logger LOG = LoggerFactory.getLogger(LinkLog.class);

  private final Loop loop;
  private final ListenerFollower follower;
  private final LinkHandshake handshake;
  private final LinkSide initiator;

  LinkLog(Loop loop, ListenerFollower follower, LinkHandshake handshake, LinkSide initiator) {
    this.loop = loop;
    this.follower = follower;
    this.handshake = handshake;
    this.initiator = initiator;
  }

  /** Logs a line about the link, which is of this type now. */
  void warn(LinkType type, String what) {
    LOG.warn(
        "listener {}: {} link of {} from {}: {}",
        follower.listenerView().name(),
        type.label(),
        handshake.from() == null ? "an unknown node" : handshake.from(),
        peer(),
        what);
  }

  /** Logs that the link's bytes cannot be inspected: at most once in a while for a listener. */
  void unknown(String what) {
    follower.listenerView().logUnknown(loop.now(), what, peer());
  }

  private @Nullable SocketAddress peer() {
    return ClientAddress.of(initiator.channel());
  }
}
