package sluice.gateway.dispatch;

import sluice.gateway.metrics.NearMetrics;
import sluice.gateway.near.NearCache;

/** The near cache of a rule, as one event loop sees it: the counters are its own. */
public record Near(NearCache cache, NearMetrics metrics) {}
