package sluice.config.model;

/**
 * The limits of one listener.
 *
 * @param connections how many clients at once
 * @param inFlight requests of one connection that wait for their replies
 * @param itemSizeBytes of the largest value
 * @param outBufferBytes replies held for a client that does not read
 * @param stallMillis how long such a client may pause a shared server connection
 * @param idleMillis after which a silent client is closed; {@link #NEVER} if none is
 * @param maxAgeMillis after which a connection is closed, jittered; {@link #NEVER} if none is
 * @param messageSizeBytes of the largest internode message, its header included
 * @param inFlightBytes of one internode link, that its receiver has not taken yet
 * @param handshakeMillis how long TLS may take to begin, and either half of an internode handshake
 */
public record LimitsConfig(
    int connections,
    int inFlight,
    long itemSizeBytes,
    long outBufferBytes,
    long stallMillis,
    long idleMillis,
    long maxAgeMillis,
    long messageSizeBytes,
    long inFlightBytes,
    long handshakeMillis) {
  /** The duration that never ends. */
  public static final long NEVER = 0;
}
