package sluice.gateway.metrics;

import java.util.Map;
import sluice.codecs.internode.Framing;
import sluice.names.Command;
import sluice.names.Verb;

/** A gateway to which everything has happened once. */
public final class EveryMetric {
  private EveryMetric() {}

  /** Counts once what there is to count. */
  public static void count(GatewayMetrics metrics) {
    LoopMetrics loop = metrics.newLoop();
    loop.ranBy(Thread.currentThread());
    loop.lag(1_000);
    loop.valueRead(100);
    loop.valueWritten(100);
    ListenerMetrics listener = loop.listener("l");
    listener.connectionOpened();
    listener.request(Command.GET, Outcome.OK, 2_000, 1_000);
    loop.server("p", "s").serverTime(1_000);
    loop.shadow("p").count(ShadowResult.SAME);
    loop.hedge("p").count(HedgeResult.WON);
    loop.limit("r", 0).limited(1);
    loop.near("p").reads().count(NearResult.HIT);
    loop.rule("r", 0).matched();
    loop.rule("r", 0).answered(1_000);
    InternodeMetrics internode = loop.internode("i");
    internode.linkOpened(LinkType.SMALL);
    internode.passed(Verb.ECHO_REQ, 10);
    internode.rejected(Verb.TRUNCATE_REQ, 10);
    internode.framesRead(Framing.CRC, 1, 10);
    internode.gatewayLatency(1_000);
    metrics.serverStates(() -> Map.of(new ServerName("p", "s"), new ServerCondition(true, 0)));
    metrics.discovered("p", DiscoveryResult.SAME);
  }
}
