package sluice.config.model;

import java.util.Optional;
import sluice.names.Distribution;
import sluice.names.HashFunction;

/**
 * Distribution of keys over a pool's servers.
 *
 * @param function the hash of a key
 * @param distribution how a hash selects a server
 * @param tag two characters; a key that has both is hashed only by the part between them, unless
 *     that is empty
 * @param slowStartMillis time over which a joining server gets its keys
 */
public record HashConfig(
    HashFunction function, Distribution distribution, Optional<String> tag, long slowStartMillis) {}
