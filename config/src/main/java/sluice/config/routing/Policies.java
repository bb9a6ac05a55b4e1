package sluice.config.routing;

import java.util.List;

/** Every kind of policy, in the order of the reference page. */
public final class Policies {
  public static final List<Policy> ALL =
      List.of(
          new FailoverPolicy(),
          new ReplicatePolicy(),
          new ShadowPolicy(),
          new HedgePolicy(),
          new NearCachePolicy(),
          new WarmUpPolicy(),
          new MigratePolicy(),
          new TtlPolicy(),
          new LimitPolicy(),
          new SplitPolicy(),
          new StripTokenPolicy());

  private Policies() {}
}
