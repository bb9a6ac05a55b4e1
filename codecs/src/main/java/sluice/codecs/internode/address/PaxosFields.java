package sluice.codecs.internode.address;

import sluice.codecs.internode.MessageHeader;

/**
 * Messages of Paxos v2 that name nodes ({@code PaxosPrepare}, {@code PaxosCommitAndPrepare}, {@code
 * PaxosStartPrepareCleanup}).
 *
 * <p>Two of them have a {@code PartitionUpdate} in front of the addresses, whose length only the
 * table's schema tells: values of fixed length have none of their own. Such an update is a part of
 * unknown length between a front and a tail that are known, and the tail must parse to the
 * payload's exact end. Every place where it may begin is tried. The one where it does begin is
 * among them, so if it parses from a single one, that is it, whatever bytes users have stored; if
 * it parses from several and it would matter which one is right, the payload does not parse.
 */
final class PaxosFields {
  private static final int BALLOT = 16;
  private static final int READ = 1; // request: a read command follows
  private static final int MAX_REQUEST_FLAGS = 3;
  private static final int ACCEPTED = 2; // response: what was accepted and not committed follows
  private static final int READ_RESPONSE = 4;
  private static final int PERMIT_READ = 16; // response: a ballot ends it
  private static final int MAX_RESPONSE_FLAGS = 31;
  private static final int EMPTY_UPDATE = 1;
  private static final int DIGEST_READ = 1;
  private static final int ROW_KEY = 0;
  private static final int UNKNOWN = -1;

  /**
   * Bytes that are read in all while the beginning of a tail is looked for, some 50 ms: a large
   * value may be made so that many places look good for long.
   */
  private static final long MAX_READ = 1 << 24;

  /** A tail: reads all of it, up to the payload's end. */
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

  /** PAXOS2_COMMIT_AND_PREPARE_REQ: what was agreed on, and a request. */
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
   * A ballot, who is to vote, and what on.
   *
   * @param table index of the id of the table it must be of, or {@link #UNKNOWN}
   */
  private static void request(Fields fields, int version, int table) {
    fields.skip(BALLOT);
    fields.vintAddresses(); // who has the key
    fields.vintAddresses(); // who is about to have it
    int flags = fields.unsignedByte();
    fields.require(flags <= MAX_REQUEST_FLAGS);
    if ((flags & READ) != 0) {
      readCommand(fields, version, table);
      return;
    }
    table(fields, table);
    fields.require(fields.unsignedByte() == ROW_KEY);
    fields.utf(); // the key: like a text, bytes with a length of 16 bits in front
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      fields.bool(); // for recovery
    }
  }

  /** A read of one partition. Its filters are not looked at: there is no address behind it. */
  private static void readCommand(Fields fields, int version, int table) {
    fields.require(fields.unsignedByte() == 0); // a single partition
    if ((fields.unsignedByte() & DIGEST_READ) != 0) {
      fields.vint(); // version of the digest
    }
    table(fields, table);
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      fields.vint(); // epoch
    }
    fields.int32(); // now, in seconds
    fields.unsignedByte(); // there is something of a filter
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
      fields.skip(BALLOT); // rejected for this one
      return;
    }
    fields.vint(); // lower bound of ballots
    fields.skip(BALLOT); // of what was accepted or committed
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
      fields.vintBytes(); // digest of what is repaired
      fields.bool(); // whether that is conclusive
      fields.vintBytes(); // rows
    }
  }

  /** What the asked node knows of the voters, if it would have asked others. */
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
   * Reads the front of a {@code PartitionUpdate}: the table's id, the key, and flags.
   *
   * @return whether that is all of it
   */
  private static boolean isEmptyUpdate(Fields fields, int version) {
    fields.uuid();
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      fields.vint();
    }
    fields.vintBytes();
    return (fields.unsignedByte() & EMPTY_UPDATE) != 0;
  }

  /** Reads a tail whose beginning is not known. */
  private static void tail(Fields fields, int version, Tail tail, int table, int flags) {
    if (!fields.isGood()) {
      return;
    }
    Splices splices = fields.splices();
    int known = splices.count();
    int parsed = 0;
    int replacing = UNKNOWN;
    long budget = MAX_READ;
    for (int at = fields.index(); at < fields.end() && budget >= 0; at++) {
      fields.seek(at);
      tail.read(fields, version, table, flags);
      budget -= fields.index() - at;
      if (fields.isDone()) {
        parsed++;
        replacing = splices.count() > known ? at : replacing;
      }
      splices.truncate(known);
    }
    boolean ambiguous = parsed > 1 && replacing != UNKNOWN;
    if (parsed == 0 || ambiguous || budget < 0) {
      fields.fail();
    } else if (replacing == UNKNOWN) {
      fields.seek(fields.end());
    } else {
      fields.seek(replacing);
      tail.read(fields, version, table, flags);
    }
  }

  /** PAXOS2_CLEANUP_START_PREPARE_REQ: what its sender says of itself, before version 14. */
  static void cleanupStart(Fields fields, int version) {
    fields.uuid();
    if (version < MessageHeader.FIRST_WITH_EPOCH) {
      GossipFields.state(fields);
    }
    fields.ranges();
  }
}
