package sluice.codecs.internode.address;

/**
 * Messages of streaming ({@code org.apache.cassandra.streaming.messages}) after their type byte,
 * and the header of a file ({@code CassandraStreamHeader}).
 */
final class StreamFields {
  static final int PREPARE_SYN = 1;
  static final int STREAM = 2;
  static final int RECEIVED = 3;
  private static final int COMPLETE = 5;
  private static final int SESSION_FAILED = 6;
  static final int KEEP_ALIVE = 7;
  private static final int PREPARE_SYNACK = 8;
  private static final int PREPARE_ACK = 9;
  private static final int STREAM_INIT = 10;

  // Lengths of the shortest elements of lists, in bytes:
  private static final int LEAST_UTF = 2;
  private static final int LEAST_TOKEN = 4;
  private static final int LEAST_REQUEST = LEAST_UTF + 4 + 7 + 4 + 4; // address, three counts

  private StreamFields() {}

  /** Any message but STREAM. */
  static void control(Fields fields, int type, int version) {
    switch (type) {
      case STREAM_INIT -> init(fields);
      case PREPARE_SYN -> {
        requests(fields);
        RepairFields.streamSummaries(fields, version);
      }
      case PREPARE_SYNACK -> RepairFields.streamSummaries(fields, version);
      case RECEIVED -> {
        fields.uuid(); // table
        fields.int32(); // sequence number
      }
      case COMPLETE, SESSION_FAILED, KEEP_ALIVE, PREPARE_ACK -> {}
      default -> fields.fail();
    }
  }

  private static void init(Fields fields) {
    fields.address();
    fields.int32(); // index of the session
    fields.uuid(); // plan
    fields.utf(); // purpose
    optionalUuid(fields); // pending repair
    fields.int32(); // kind of preview
  }

  private static void optionalUuid(Fields fields) {
    if (fields.bool()) {
      fields.uuid();
    }
  }

  private static void requests(Fields fields) {
    int left = fields.count();
    for (; left > 0 && fields.isGood(); left--) {
      fields.utf(); // keyspace
      int tables = fields.count();
      fields.address();
      replicas(fields); // full replicas
      replicas(fields); // transient replicas
      for (; tables > 0 && fields.isGood(); tables--) {
        fields.utf();
      }
      fields.follow(tables, LEAST_UTF);
    }
    fields.follow(left, LEAST_REQUEST);
  }

  private static void replicas(Fields fields) {
    int left = fields.count();
    for (; left > 0 && fields.isGood(); left--) {
      fields.token();
      fields.token();
    }
    fields.follow(left, 2 * LEAST_TOKEN);
  }

  /**
   * STREAM, up to where the sections of the file begin.
   *
   * @return number of sections
   */
  static int streamHead(Fields fields) {
    fields.uuid(); // table
    fields.address(); // sender
    fields.uuid(); // plan
    fields.bool(); // whether the sender is a follower
    fields.int32(); // index of the session
    fields.int32(); // sequence number
    fields.int64(); // repaired at
    optionalUuid(fields); // pending repair
    fields.utf(); // version of the file's format
    fields.utf(); // format
    fields.int64(); // estimated keys
    return fields.count();
  }

  /** One section of the file; returns its length in bytes. */
  static long section(Fields fields) {
    long from = fields.int64();
    long length = fields.int64() - from;
    fields.require(length >= 0);
    return length;
  }

  /** One chunk of a compressed file; returns its length in bytes, including its checksum. */
  static long chunk(Fields fields) {
    fields.int64(); // offset
    int length = fields.int32();
    fields.require(length >= 0);
    return length + (long) Integer.BYTES;
  }

  /**
   * The fields between the chunks and the file's bytes.
   *
   * @return length of the file's bytes if it is sent as a whole; -1 if the sections state it
   */
  static long streamRest(Fields fields, boolean compressed) {
    if (compressed) {
      compression(fields);
    }
    fields.int32(); // level
    fields.vint(); // least timestamp
    fields.vint(); // least time of deletion
    fields.vint(); // least time to live
    fields.vintBytes(); // type of the key
    long types = fields.vint();
    for (; types != 0 && fields.isGood(); types--) {
      fields.vintBytes(); // type of a clustering column
    }
    fields.follow(types, 1);
    columns(fields); // static
    columns(fields); // regular
    fields.uuid(); // table
    if (!fields.bool()) {
      return -1;
    }
    long bytes = 0;
    long components = fields.vint();
    for (; components != 0 && fields.isGood(); components--) {
      fields.utf(); // name of a component
      long length = fields.vint();
      bytes += length;
      fields.require(length >= 0 && bytes >= 0);
    }
    fields.follow(components, LEAST_UTF + 1);
    fields.vintBytes(); // first key
    return bytes;
  }

  private static void compression(Fields fields) {
    fields.utf(); // compressor
    int options = fields.count();
    for (; options > 0 && fields.isGood(); options--) {
      fields.utf(); // option
      fields.utf(); // its value
    }
    fields.follow(options, 2 * LEAST_UTF);
    fields.int32(); // length of a chunk
    fields.int32(); // greatest length of a compressed chunk
  }

  private static void columns(Fields fields) {
    long left = fields.vint();
    for (; left != 0 && fields.isGood(); left--) {
      fields.vintBytes(); // name
      fields.vintBytes(); // type
    }
    fields.follow(left, 2);
  }
}
