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
          "Pool that the requests go to. A rule has exactly one of `pool`, `replicate`, `warmUp`"
              + " and `reject`.");
  public static final Key<String> REJECT =
      Key.optional(
          "reject",
          Scalars.replyText(),
          "Text of the error that the client gets instead of a reply.");

  private RuleKeys() {}

  /** The same key, marked as without meaning for internode. */
  static <T> Key<T> ofRequests(Key<T> key) {
    return key.only(MEMCACHED, IGNITE, EMBEDDED);
  }
}
