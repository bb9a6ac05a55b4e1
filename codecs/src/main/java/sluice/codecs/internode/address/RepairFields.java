package sluice.codecs.internode.address;

import sluice.codecs.internode.MessageHeader;

/**
 * Payloads of repair that name nodes ({@code org.apache.cassandra.repair.messages}), and the fields
 * that they share with streaming.
 */
final class RepairFields {
  private static final int COMPACT_TOKEN = 8; // length of a token of Murmur3Partitioner

  private static final int LEAST_SUMMARY = 28; // bytes

  private RepairFields() {}

  /** SYNC_REQ: the coordinator, the node that streams, and the node it streams to. */
  static void syncRequest(Fields fields) {
    job(fields);
    fields.address();
    fields.address();
    fields.address();
    fields.ranges();
    fields.int32(); // kind of preview
    fields.bool(); // asymmetric
  }

  /** SYNC_RSP: the two nodes, also in the summary of each session. */
  static void syncResponse(Fields fields, int version) {
    job(fields);
    fields.address();
    fields.address();
    fields.bool(); // success
    for (int i = fields.count(); i > 0 && fields.isGood(); i--) {
      fields.address();
      fields.address();
      streamSummaries(fields, version);
      streamSummaries(fields, version);
    }
  }

  /** {@code RepairJobDesc}. */
  private static void job(Fields fields) {
    if (fields.bool()) {
      fields.uuid(); // parent session
    }
    fields.uuid(); // session
    fields.utf(); // keyspace
    fields.utf(); // table
    fields.ranges();
  }

  /**
   * {@code StreamSummary}s. Version 6.0's also contain the ranges, as tokens whose length only the
   * partitioner knows: Murmur3Partitioner's are read, others do not parse.
   */
  static void streamSummaries(Fields fields, int version) {
    int left = fields.count();
    for (; left > 0 && fields.isGood(); left--) {
      fields.uuid(); // table
      fields.int32(); // files
      fields.int64(); // bytes
      if (version >= MessageHeader.FIRST_WITH_EPOCH) {
        long ranges = fields.vint();
        for (; ranges > 0 && fields.isGood(); ranges--) {
          fields.skip(2 * COMPACT_TOKEN);
        }
        fields.follow(Math.max(0, ranges), 2 * COMPACT_TOKEN);
      }
    }
    fields.follow(left, LEAST_SUMMARY);
  }

  /** PREPARE_CONSISTENT_REQ: the coordinator and the participants. */
  static void prepareConsistentRequest(Fields fields) {
    fields.uuid();
    fields.address();
    for (int i = fields.count(); i > 0 && fields.isGood(); i--) {
      fields.address();
    }
  }

  /** PREPARE_CONSISTENT_RSP and FINALIZE_PROMISE_MSG: the answering node and its answer. */
  static void promise(Fields fields) {
    fields.uuid();
    fields.address();
    fields.bool();
  }
}
