package sluice.config.model;

import java.util.List;

/**
 * Shadow pool that gets copies of requests. Its replies are compared with those to the client, and
 * then dropped.
 *
 * @param pool the name of one of {@link Configuration#pools()}
 * @param percent of the requests
 */
public record ShadowConfig(String pool, int percent) implements PolicyConfig {
  @Override
  public List<String> pools() {
    return List.of(pool);
  }

  @Override
  public List<String> answeringPools() {
    return List.of();
  }
}
