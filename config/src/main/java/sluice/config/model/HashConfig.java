package sluice.config.model;

import java.util.Optional;
import sluice.names.Distribution;
import sluice.names.HashFunction;

/**
 * How keys are spread over a pool's servers.
 *
 * @param function the hash of a key
 * @param distribution which server a hash belongs to
 * @param tag two characters; only what stands between them in a key is hashed, where a key has both
 *     with something in between
 * @param slowStartMillis how long it takes until a server that joins has all of its keys
 */
public record HashConfig(
    HashFunction function, Distribution distribution, Optional<String> tag, long slowStartMillis) {}
