package sluice.gateway.client;

import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.RingQueue;

/** Parts of one client's connection that its session passes calls on to. */
record ClientParts(
    RingQueue<Exchange> ring,
    BackPressure pressure,
    ReplyOrder replies,
    GatheredValue gathered,
    LentRequest lentRequest,
    ServerAccess access) {}
