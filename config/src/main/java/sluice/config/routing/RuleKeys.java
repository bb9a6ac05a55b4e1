package sluice.config.routing;

import static sluice.config.model.PoolProtocol.EMBEDDED;
import static sluice.config.model.PoolProtocol.IGNITE;
import static sluice.config.model.PoolProtocol.MEMCACHED;

import sluice.config.schema.Key;
import sluice.config.schema.Scalars;

/** Keys of a rule that policies check. */
public final class RuleKeys {
  public static final Key<String> POOL =
      Key.optional(
          "pool",
          Scalars.nameOf("pools"),
          "Where they go. Either this, `replicate`, `warmUp` or `reject`.");
  public static final Key<String> REJECT =
      Key.optional("reject", Scalars.replyText(), "What the client is told instead.");

  private RuleKeys() {}

  /** The same key, marked as without meaning for internode. */
  static <T> Key<T> ofRequests(Key<T> key) {
    return key.only(MEMCACHED, IGNITE, EMBEDDED);
  }
}
