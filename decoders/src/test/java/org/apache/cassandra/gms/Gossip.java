package org.apache.cassandra.gms;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.cassandra.locator.InetAddressAndPort;

/** Makes messages of gossip, and takes them apart: their own parts are visible from here only. */
public final class Gossip {
  private Gossip() {}

  public static GossipDigest digest(InetAddressAndPort node, int generation, int version) {
    return new GossipDigest(node, generation, version);
  }

  public static GossipDigestAck ack(
      List<GossipDigest> digests, Map<InetAddressAndPort, EndpointState> states) {
    return new GossipDigestAck(digests, states);
  }

  public static GossipDigestAck2 ack2(Map<InetAddressAndPort, EndpointState> states) {
    return new GossipDigestAck2(states);
  }

  /** Everything that a message says, in one order. */
  public static String text(Object payload) {
    if (payload instanceof GossipDigestSyn syn) {
      return syn.clusterId + syn.partioner + syn.getGossipDigests();
    }
    if (payload instanceof GossipDigestAck ack) {
      return ack.getGossipDigestList() + text(ack.getEndpointStateMap());
    }
    if (payload instanceof GossipDigestAck2 ack2) {
      return text(ack2.epStateMap);
    }
    return text(Map.of(InetAddressAndPort.getLoopbackAddress(), ((GossipShutdown) payload).state));
  }

  private static String text(Map<InetAddressAndPort, EndpointState> states) {
    Map<String, String> texts = new TreeMap<>();
    states.forEach(
        (node, state) -> {
          HeartBeatState heart = state.getHeartBeatState();
          StringBuilder text = new StringBuilder();
          text.append(heart.getGeneration()).append(':').append(heart.getHeartBeatVersion());
          state
              .states()
              .forEach(
                  e -> text.append(' ').append(e.getKey()).append('=').append(e.getValue().value));
          texts.put(node.toString(), text.toString());
        });
    return texts.toString();
  }
}
