package sluice.codecs.internode.address;

import sluice.names.Verb;

/** Verbs whose payloads contain addresses, and their readers. */
final class Payloads {
  private static final int FIRST_WITH_SHUTDOWN_STATE = 13;

  private Payloads() {}

  /** What is known about a verb's payload. */
  enum Kind {
    /** It contains no addresses of nodes, or only addresses that are values in tables. */
    WITHOUT,
    /** {@link #read} reads it. */
    READ,
    /** It may contain addresses, but there is no reader for it. */
    NOT_READ
  }

  static Kind kind(Verb verb, int version) {
    return switch (verb) {
      case GOSSIP_DIGEST_SYN,
          GOSSIP_DIGEST_ACK,
          GOSSIP_DIGEST_ACK2,
          SYNC_REQ,
          SYNC_RSP,
          PREPARE_CONSISTENT_REQ,
          PREPARE_CONSISTENT_RSP,
          FINALIZE_PROMISE_MSG,
          PAXOS2_PREPARE_REQ,
          PAXOS2_PREPARE_RSP,
          PAXOS2_COMMIT_AND_PREPARE_REQ,
          PAXOS2_COMMIT_AND_PREPARE_RSP,
          PAXOS2_CLEANUP_START_PREPARE_REQ,
          TCM_INIT_MIG_RSP,
          TCM_ABORT_MIG,
          TCM_DISCOVER_RSP ->
          Kind.READ;
      case GOSSIP_SHUTDOWN -> version < FIRST_WITH_SHUTDOWN_STATE ? Kind.WITHOUT : Kind.READ;
      case TCM_COMMIT_RSP,
          TCM_COMMIT_REQ,
          TCM_FETCH_CMS_LOG_RSP,
          TCM_REPLICATION,
          TCM_NOTIFY_REQ,
          TCM_INIT_MIG_REQ,
          TCM_FETCH_PEER_LOG_RSP,
          INITIATE_DATA_MOVEMENTS_REQ ->
          Kind.NOT_READ;
      default -> Kind.WITHOUT;
    };
  }

  /** Reads a payload of {@link Kind#READ}. */
  static void read(Fields fields, Verb verb, int version) {
    switch (verb) {
      case GOSSIP_DIGEST_SYN -> GossipFields.syn(fields, version);
      case GOSSIP_DIGEST_ACK -> GossipFields.ack(fields);
      case GOSSIP_DIGEST_ACK2 -> GossipFields.states(fields);
      case GOSSIP_SHUTDOWN -> GossipFields.state(fields);
      case SYNC_REQ -> RepairFields.syncRequest(fields);
      case SYNC_RSP -> RepairFields.syncResponse(fields, version);
      case PREPARE_CONSISTENT_REQ -> RepairFields.prepareConsistentRequest(fields);
      case PREPARE_CONSISTENT_RSP, FINALIZE_PROMISE_MSG -> RepairFields.promise(fields);
      case PAXOS2_PREPARE_REQ -> PaxosFields.prepareRequest(fields, version);
      case PAXOS2_COMMIT_AND_PREPARE_REQ -> PaxosFields.commitAndPrepareRequest(fields, version);
      case PAXOS2_PREPARE_RSP, PAXOS2_COMMIT_AND_PREPARE_RSP ->
          PaxosFields.response(fields, version);
      case PAXOS2_CLEANUP_START_PREPARE_REQ -> PaxosFields.cleanupStart(fields, version);
      case TCM_ABORT_MIG -> migrator(fields);
      case TCM_INIT_MIG_RSP -> {
        migrator(fields);
        fields.bool(); // whether both nodes have the same metadata
      }
      case TCM_DISCOVER_RSP -> {
        fields.unsignedByte(); // kind
        fields.vintAddresses();
      }
      default -> fields.fail();
    }
  }

  /** {@code CMSInitializationRequest.Initiator}. */
  private static void migrator(Fields fields) {
    fields.address();
    fields.uuid();
  }
}
