package sluice.gateway.torture;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import sluice.testkit.Bytes;
import sluice.testkit.Packet;

/** Requests that are repeated; the gateway answers each as often as it is sent, always alike. */
enum AllocationScenario {
  GET_HIT("get hit\r\n", "VALUE hit"),
  GET_4K("get larger\r\n", "VALUE larger"),
  GET_MISS("get missing\r\n", "END"),
  GETS("gets hit\r\n", "VALUE hit", Side.MEMCACHED),
  SET("set written 0 0 100\r\n" + Side.VALUE + "\r\n", "STORED"),
  SET_4K("set written 0 0 4096\r\n" + Side.LARGER + "\r\n", "STORED", Side.MEMCACHED),
  SET_BYTES("set written 2048 60 100\r\n" + Side.VALUE + "\r\n", "STORED", Side.NODES),
  SET_NUMBER("set written 768 0 8\r\n12345678\r\n", "STORED", Side.NODES),
  SET_NOREPLY("set written 0 0 100 noreply\r\n" + Side.VALUE + "\r\nmn\r\n", "MN", Side.MEMCACHED),
  MG("mg hit v f s k c\r\n", "VA 100", Side.MEMCACHED),
  MG_OPAQUE("mg hit v Oabc q\r\nmn\r\n", "VA 100"),
  MG_MISS("mg missing v\r\n", "EN", Side.MEMCACHED),
  MS("ms written 100 T0\r\n" + Side.VALUE + "\r\n", "HD", Side.MEMCACHED),
  INCR("incr number 1\r\n", "1"),
  DELETE_MISS("delete missing\r\n", "NOT_FOUND"),
  SET_AND_DELETE(
      "set d 0 0 100\r\n" + Side.VALUE + "\r\ndelete d\r\n", "STORED\r\nDELETED", Side.MEMCACHED),
  TOUCH("touch hit 0\r\n", "TOUCHED", Side.MEMCACHED),
  MULTI_GET("get k0 k1 k2 k3 k4 k5 k6 k7 k8 k9\r\n", "VALUE k0"),
  BINARY_GET(packet(0x00, "", "hit", ""), 0),
  BINARY_GET_MISS(packet(0x00, "", "missing", ""), 1, Side.MEMCACHED),
  BINARY_SET(packet(0x01, Side.STORE, "written", Side.VALUE), 0),
  BINARY_QUIET(packet(0x11, Side.STORE, "written", Side.VALUE) + packet(0x0d, "", "hit", ""), 0),
  IGNITE_GET(packet(0x0c, "", "hit", ""), 0, Side.IGNITE_CLIENTS),
  IGNITE_GET_4K(packet(0x00, "", "larger", ""), 0, Side.IGNITE_CLIENTS),
  IGNITE_GET_MISS(packet(0x0c, "", "missing", ""), 1, Side.IGNITE_CLIENTS),
  IGNITE_SET(packet(0x01, Side.STORE, "written", Side.VALUE), 0, Side.IGNITE_CLIENTS),
  IGNITE_SET_4K(packet(0x11, Side.STORE, "written", Side.LARGER), 0, Side.IGNITE_CLIENTS),
  IGNITE_ADD(packet(0x02, Side.STORE, "hit", Side.VALUE), 4, Side.IGNITE_CLIENTS),
  IGNITE_REMOVE_MISS(packet(0x04, "", "missing", ""), 4, Side.IGNITE_CLIENTS),
  IGNITE_COUNT(
      packet(0x05, "\0\0\0\0\0\0\0\1" + "\0".repeat(12), "counter", ""), 0, Side.IGNITE_CLIENTS);

  /** What clients speak, and what is asked for them. */
  enum Side {
    /** Clients of memcached's dialects before memcached, of whatever dialect. */
    MEMCACHED,
    /** The same before Ignite nodes. */
    NODES,
    /** Clients of Ignite's dialect before memcached. */
    IGNITE_CLIENTS,
    /** Clients of memcached's dialects whose reads a near cache answers. */
    NEAR,
    /** Clients of memcached's dialects whose values would be split if they were larger. */
    SPLIT;

    private static final String VALUE = "v".repeat(100);
    private static final String LARGER = "w".repeat(4096);
    private static final String STORE = "\0".repeat(8); // flags and expiry

    /** Requests that make what the others find; each has one reply. */
    Stream<byte[]> preparations() {
      if (this == IGNITE_CLIENTS) {
        return Stream.of(packet(0x01, STORE, "hit", VALUE), packet(0x01, STORE, "larger", LARGER))
            .map(packet -> new Bytes().ascii(packet).toArray());
      }
      Stream<String> keys = Stream.of("hit", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8");
      return Stream.concat(
              Stream.concat(keys, Stream.of("k9"))
                  .map(key -> "set " + key + " 0 0 100\r\n" + VALUE + "\r\n"),
              Stream.of(
                  "set larger 0 0 4096\r\n" + LARGER + "\r\n",
                  this == NODES
                      ? "incr number 1000000000\r\n" // beside the items
                      : "set number 0 0 10\r\n1000000000\r\n"))
          .map(line -> new Bytes().ascii(line).toArray());
    }

    /** All that is sent by such clients. */
    Set<AllocationScenario> scenarios() {
      if (this == NEAR) {
        return EnumSet.of(
            GET_HIT, GET_4K, GETS, MG, MG_OPAQUE, MULTI_GET, BINARY_GET, SET, SET_4K, MS, INCR);
      }
      EnumSet<AllocationScenario> all = EnumSet.allOf(AllocationScenario.class);
      Side like = this == SPLIT ? MEMCACHED : this;
      all.removeIf(each -> each.side == null ? this == IGNITE_CLIENTS : each.side != like);
      if (this == SPLIT) {
        all.remove(TOUCH); // which has to look for pieces
      }
      return all;
    }
  }

  private static final String FENCE_REPLY = "\u0081\n" + "\0".repeat(13) + "\7" + "\0".repeat(8);

  private final String request;
  private final String reply;
  private final int status;
  private final Side side; // null: any but clients of Ignite's dialect

  AllocationScenario(String request, String reply) {
    this(request, reply, -1, null);
  }

  AllocationScenario(String request, String reply, Side side) {
    this(request, reply, -1, side);
  }

  AllocationScenario(String packets, int status) {
    this(packets, null, status, null);
  }

  AllocationScenario(String packets, int status, Side side) {
    this(packets, null, status, side);
  }

  AllocationScenario(String request, String reply, int status, Side side) {
    this.request = request;
    this.reply = reply;
    this.status = status;
    this.side = side;
  }

  byte[] request() {
    return new Bytes().ascii(request).toArray();
  }

  private static String packet(int opcode, String extras, String key, String value) {
    return Packet.text(opcode, extras, key, value, 7);
  }

  byte[] fence() {
    return new Bytes().ascii(reply == null ? packet(0x0a, "", "", "") : "mn\r\n").toArray();
  }

  byte[] fenceReply() {
    return new Bytes().ascii(reply == null ? FENCE_REPLY : "MN\r\n").toArray();
  }

  boolean isRight(byte[] bytes) {
    return reply == null
        ? bytes[0] == (byte) 0x81 && bytes[7] == status
        : new Bytes().bytes(bytes).string(0, bytes.length).startsWith(reply);
  }
}
