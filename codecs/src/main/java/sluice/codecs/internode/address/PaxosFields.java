package sluice.codecs.internode.address;

import sluice.codecs.internode.MessageHeader;

/**
 * Payloads of Paxos v2 that name nodes ({@code PaxosPrepare}, {@code PaxosCommitAndPrepare}, {@code
 * PaxosStartPrepareCleanup}).
 *
 * <p>Two of them have a {@code PartitionUpdate} before the addresses. Its length can be derived
 * only from the table's schema, because values of fixed length carry none. The update is therefore
 * a part of unknown length between a known start and a known tail. The tail must parse to the
 * payload's exact end.
 *
 * <p>Every index where the tail may begin is tried, so the true one is among them. If the tail
 * parses from a single index, that is the true one, no matter which bytes users have stored. If it
 * parses from several, and the choice matters, the payload does not parse.
 */
final class PaxosFields {
  private static final int BALLOT = 16;
  private static final int READ = 1; // request: a read command follows
  private static final int MAX_REQUEST_FLAGS = 3;
  private static final int ACCEPTED = 2; // response: an accepted and uncommitted proposal follows
  private static final int READ_RESPONSE = 4;
  private static final int PERMIT_READ = 16; // response: a ballot ends it
  private static final int MAX_RESPONSE_FLAGS = 31;
  private static final int EMPTY_UPDATE = 1;
  private static final int DIGEST_READ = 1;
  private static final int ROW_KEY = 0;
  private static final int UNKNOWN = -1;

  // The most bytes read in total while searching for a tail. A value may be crafted to match at
  // many indexes, and a frame has space for many such messages, so the bound grows with the length.
  // Data that was not crafted takes up to some 40 times its length, and lists of addresses 260
  // times.
  private static final long LEAST_MOST_READ = 1 << 13;
  private static final long MOST_READ_PER_BYTE = 320;

  /** The same for a message of any length: some 50 ms. */
  private static final long MOST_READ = 1 << 24;

  /** Reader of a tail, up to the payload's end. */
  @FunctionalInterface
  private interface Tail {
    void read(Fields fields, int version, int table, int flags);
  }

  private static final Tail REQUEST =
      (fields, version, table, flags) -> request(fields, version, table);
  private static final Tail GOSSIP =
      (fields, version, table, flags) -> gossip(fields, version, flags);

  private PaxosFields() {}

  /** PAXOS2_PREPARE_REQ. */
  static void prepareRequest(Fields fields, int version) {
    request(fields, version, UNKNOWN);
  }

  /** PAXOS2_COMMIT_AND_PREPARE_REQ: the agreed proposal, and a request. */
  static void commitAndPrepareRequest(Fields fields, int version) {
    fields.skip(BALLOT);
    int table = fields.index();
    if (isEmptyUpdate(fields, version)) {
      request(fields, version, table);
    } else {
      tail(fields, version, REQUEST, table, 0);
    }
  }

  /**
   * A ballot, the voters, and the read command.
   *
   * @param table index of the id that the table must have, or {@link #UNKNOWN}
   */
  private static void request(Fields fields, int version, int table) {
    fields.skip(BALLOT);
    fields.vintAddresses(); // replicas of the key
    fields.vintAddresses(); // pending replicas of the key
    int flags = fields.unsignedByte();
    fields.require(flags <= MAX_REQUEST_FLAGS);
    if ((flags & READ) != 0) {
      readCommand(fields, version, table);
      return;
    }
    table(fields, table);
    fields.require(fields.unsignedByte() == ROW_KEY);
    fields.utf(); // the key: like a text, bytes with a 16-bit length in front
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      fields.bool(); // whether it is for recovery
    }
  }

  /** A read of one partition. Its filters are not read: no address follows them. */
  private static void readCommand(Fields fields, int version, int table) {
    fields.require(fields.unsignedByte() == 0); // a single partition
    if ((fields.unsignedByte() & DIGEST_READ) != 0) {
      fields.vint(); // version of the digest
    }
    table(fields, table);
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      fields.vint(); // epoch
    }
    fields.int32(); // current time in seconds
    fields.unsignedByte(); // flag that parts of a filter follow
    fields.skip(fields.isGood() ? fields.end() - fields.index() : 0);
  }

  private static void table(Fields fields, int expected) {
    int at = fields.index();
    fields.uuid();
    if (fields.isGood() && expected != UNKNOWN) {
      fields.require(fields.isSameUuid(at, expected));
    }
  }

  /** PAXOS2_PREPARE_RSP and PAXOS2_COMMIT_AND_PREPARE_RSP. */
  static void response(Fields fields, int version) {
    int flags = fields.unsignedByte();
    fields.require(flags <= MAX_RESPONSE_FLAGS);
    if (flags == 0) {
      fields.skip(BALLOT); // the ballot that supersedes this one
      return;
    }
    fields.vint(); // lower bound of ballots
    fields.skip(BALLOT); // ballot of the accepted or committed proposal
    if (isEmptyUpdate(fields, version) && (flags & ACCEPTED) == 0) {
      if ((flags & READ_RESPONSE) != 0) {
        readResponse(fields);
      }
      gossip(fields, version, flags);
    } else {
      tail(fields, version, GOSSIP, UNKNOWN, flags);
    }
  }

  private static void readResponse(Fields fields) {
    long digest = fields.vint();
    fields.skip(digest);
    if (digest == 0) {
      fields.vintBytes(); // digest of the repaired data
      fields.bool(); // whether that digest is conclusive
      fields.vintBytes(); // rows
    }
  }

  /** What the receiving node knows about the voters, if it would have asked others. */
  private static void gossip(Fields fields, int version, int flags) {
    for (long left = fields.vint(); left != 0 && fields.isGood(); left--) {
      fields.address();
      if (fields.bool()) {
        GossipFields.state(fields);
      }
    }
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      fields.vint(); // epoch of the voters
    }
    if ((flags & PERMIT_READ) != 0) {
      fields.skip(BALLOT);
    }
  }

  /**
   * Reads the start of a {@code PartitionUpdate}: the table's id, the key, and flags.
   *
   * @return whether the update ends there
   */
  private static boolean isEmptyUpdate(Fields fields, int version) {
    fields.uuid();
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      fields.vint();
    }
    fields.vintBytes();
    return (fields.unsignedByte() & EMPTY_UPDATE) != 0;
  }

  /** Reads a tail that begins at an unknown index. */
  private static void tail(Fields fields, int version, Tail tail, int table, int flags) {
    if (!fields.isGood()) {
      return;
    }
    int parsed = 0;
    int replacing = UNKNOWN;
    long budget = mostRead(fields.end() - fields.index());
    for (int at = fields.index(); at < fields.end() && budget >= 0; at++) {
      fields.tryAt(at);
      tail.read(fields, version, table, flags);
      budget -= fields.index() - at;
      if (fields.isDone()) {
        parsed++;
        replacing = fields.counted() > 0 ? at : replacing;
      }
    }
    boolean ambiguous = parsed > 1 && replacing != UNKNOWN;
    // A place that was given up because of its number of addresses may be the true one.
    if (parsed == 0 || ambiguous || budget < 0 || fields.isFull()) {
      fields.fail();
    } else if (replacing == UNKNOWN) {
      fields.seek(fields.end());
    } else {
      fields.seek(replacing);
      tail.read(fields, version, table, flags);
    }
  }

  private static long mostRead(int length) {
    return Math.min(MOST_READ, Math.max(LEAST_MOST_READ, MOST_READ_PER_BYTE * length));
  }

  /** PAXOS2_CLEANUP_START_PREPARE_REQ, before version 14: the sender's own state. */
  static void cleanupStart(Fields fields, int version) {
    fields.uuid();
    if (version < MessageHeader.FIRST_WITH_EPOCH) {
      GossipFields.state(fields);
    }
    fields.ranges();
  }
}
