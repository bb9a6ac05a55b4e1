package sluice.config.sections;

import static sluice.config.model.PoolProtocol.IGNITE;
import static sluice.config.model.PoolProtocol.INTERNODE;
import static sluice.config.model.PoolProtocol.MEMCACHED;

import sluice.config.model.LimitsConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;

/** Description of a listener's {@code limits}: its keys, and its record. */
public final class LimitsSection {
  private static final String DEFAULT_IDLE = "24h";

  public static final Key<Integer> CONNECTIONS =
      Key.optional(
              "connections",
              Quantities.integer(1, 10_000_000),
              "Client connections at the same time.")
          .or("10000");
  public static final Key<Integer> IN_FLIGHT =
      Key.optional(
              "inFlight",
              Quantities.integer(1, 1_048_576),
              "Requests in flight per connection, including answered requests that a server has not"
                  + " finished. At the limit, reading pauses. While replies are large, the limit is"
                  + " lower.")
          .or("1024")
          .only(MEMCACHED, IGNITE);
  public static final Key<Long> ITEM_SIZE =
      Key.optional("itemSize", Quantities.size("1KiB", "1GiB"), "Size of the largest value.")
          .or("1MiB")
          .only(MEMCACHED, IGNITE);
  public static final Key<Long> OUT_BUFFER =
      Key.optional(
              "outBuffer",
              Quantities.size("1KiB", "1GiB"),
              "Bytes of replies that are held for a client that does not read them.")
          .or("1MiB")
          .only(MEMCACHED, IGNITE);
  public static final Key<Long> STALL =
      Key.optional(
              "stall",
              Quantities.duration("1ms", "1h"),
              "A client that pauses a shared server connection is disconnected if it reads nothing"
                  + " for this long.")
          .or("500ms")
          .only(MEMCACHED, IGNITE);
  public static final Key<Long> IDLE =
      Key.optional(
              "idle",
              Quantities.durationOrNever("1ms", "365d"),
              "Idle timeout of a client. It also applies in the middle of a request, but not while"
                  + " a reply is pending.")
          .or(DEFAULT_IDLE + "; internode: never", () -> DEFAULT_IDLE);
  public static final Key<Long> MAX_AGE =
      Key.optional(
              "maxAge",
              Quantities.durationOrNever("1ms", "365d"),
              "A client connection is closed after about this time, with jitter.")
          .or("never")
          .only(MEMCACHED, IGNITE);
  public static final Key<Long> MESSAGE_SIZE =
      Key.optional(
              "messageSize",
              Quantities.size("1KiB", "2GiB"),
              "Internode: size of the largest message.")
          .or("128MiB")
          .only(INTERNODE);
  public static final Key<Long> IN_FLIGHT_BYTES =
      Key.optional(
              "inFlightBytes",
              Quantities.size("64KiB", "1GiB"),
              "Internode: bytes of one link that its receiver has not accepted yet. At the limit,"
                  + " reading pauses.")
          .or("4MiB")
          .only(INTERNODE);
  public static final Key<Long> HANDSHAKE =
      Key.optional(
              "handshake",
              Quantities.duration("1ms", "1h"),
              "Time limit for the TLS handshake, for a PROXY header, and for each half of the"
                  + " internode handshake.")
          .or("5s");

  /** Its keys, and the record's value for each. */
  public static final Layout<LimitsConfig> LAYOUT =
      Layout.of(LimitsConfig.class)
          .key(CONNECTIONS, LimitsConfig::connections)
          .key(IN_FLIGHT, LimitsConfig::inFlight)
          .key(ITEM_SIZE, LimitsConfig::itemSizeBytes)
          .key(OUT_BUFFER, LimitsConfig::outBufferBytes)
          .key(STALL, LimitsConfig::stallMillis)
          .key(IDLE, LimitsConfig::idleMillis)
          .key(MAX_AGE, LimitsConfig::maxAgeMillis)
          .key(MESSAGE_SIZE, LimitsConfig::messageSizeBytes)
          .key(IN_FLIGHT_BYTES, LimitsConfig::inFlightBytes)
          .key(HANDSHAKE, LimitsConfig::handshakeMillis);

  private LimitsSection() {}

  /** The record of a valid section. */
  static LimitsConfig bind(Fields limits, boolean internode) {
    return new LimitsConfig(
        limits.value(CONNECTIONS),
        limits.value(IN_FLIGHT),
        limits.value(ITEM_SIZE),
        limits.value(OUT_BUFFER),
        limits.value(STALL),
        // A silent node may be healthy for days; a silent client was probably forgotten.
        internode && !limits.isWritten(IDLE) ? LimitsConfig.NEVER : limits.value(IDLE),
        limits.value(MAX_AGE),
        limits.value(MESSAGE_SIZE),
        limits.value(IN_FLIGHT_BYTES),
        limits.value(HANDSHAKE));
  }
}
