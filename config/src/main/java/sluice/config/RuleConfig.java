package sluice.config;

import java.util.Optional;

/**
 * Which requests, and what becomes of them: exactly one of {@code pool} and {@code reject} is
 * there.
 *
 * @param match which requests
 * @param pool the name of one of {@link Configuration#pools()}
 * @param key how the key is rewritten on its way to the pool
 * @param reject what the client is told instead
 * @param addresses of internode, what is replaced inside messages
 */
public record RuleConfig(
    MatchConfig match,
    Optional<String> pool,
    KeyConfig key,
    Optional<String> reject,
    AddressesConfig addresses) {}
