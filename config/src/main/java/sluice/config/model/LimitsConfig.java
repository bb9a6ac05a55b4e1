package sluice.config.model;

/**
 * Limits of one listener.
 *
 * @param connections number of clients at the same time
 * @param inFlight requests of one connection that wait for their replies
 * @param itemSizeBytes of the largest value
 * @param outBufferBytes replies buffered for a client that does not read
 * @param stallMillis how long such a client may pause a shared server connection
 * @param idleMillis after which a silent client is disconnected; {@link #NEVER} to keep it
 * @param maxAgeMillis after which a connection is closed, jittered; {@link #NEVER} to keep it
 * @param messageSizeBytes of the largest internode message, its header included
 * @param inFlightBytes of one internode link that its receiver has not accepted yet
 * @param handshakeMillis how long a TLS handshake, a PROXY header, and either half of an internode
 *     handshake may take
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
  /** The value that means no time limit. */
  public static final long NEVER = 0;
}
