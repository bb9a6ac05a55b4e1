package sluice.codecs.internode.address;

import sluice.codecs.internode.MessageHeader;

/**
 * Gossip's payloads ({@code GossipDigestSyn}, {@code GossipDigestAck}, {@code GossipDigestAck2},
 * {@code EndpointState}). They have addresses that name nodes, and addresses in text form in some
 * {@code ApplicationState}s.
 */
final class GossipFields {
  private static final int STATUS = 0;
  private static final int INTERNAL_IP = 7;
  private static final int RPC_ADDRESS = 8;
  private static final int INTERNAL_ADDRESS_AND_PORT = 15;
  private static final int NATIVE_ADDRESS_AND_PORT = 16;
  private static final int STATUS_WITH_PORT = 17;

  /** The only status that contains an address: that of the node being replaced. */
  private static final String REPLACES = "BOOT_REPLACE,";

  private GossipFields() {}

  /** GOSSIP_DIGEST_SYN. */
  static void syn(Fields fields, int version) {
    fields.utf(); // the cluster's name
    fields.utf(); // the partitioner
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      fields.vint(); // identifier of the cluster's metadata
    }
    digests(fields);
  }

  /** GOSSIP_DIGEST_ACK. */
  static void ack(Fields fields) {
    digests(fields);
    states(fields);
  }

  private static void digests(Fields fields) {
    for (int i = fields.count(); i > 0 && fields.isGood(); i--) {
      fields.address();
      fields.int32(); // generation
      fields.int32(); // greatest version
    }
  }

  /** GOSSIP_DIGEST_ACK2. */
  static void states(Fields fields) {
    for (int i = fields.count(); i > 0 && fields.isGood(); i--) {
      fields.address();
      state(fields);
    }
  }

  /** One node's {@code EndpointState}; since version 13 also the payload of GOSSIP_SHUTDOWN. */
  static void state(Fields fields) {
    fields.int32(); // generation
    fields.int32(); // version of the heartbeat
    for (int i = fields.count(); i > 0 && fields.isGood(); i--) {
      switch (fields.int32()) {
        case INTERNAL_IP, RPC_ADDRESS, INTERNAL_ADDRESS_AND_PORT, NATIVE_ADDRESS_AND_PORT ->
            fields.utfAddress("");
        case STATUS, STATUS_WITH_PORT -> fields.utfAddress(REPLACES);
        default -> fields.utf();
      }
      fields.int32(); // version
    }
  }
}
