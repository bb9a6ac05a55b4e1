package sluice.gateway.client;

import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.RingQueue;

/** Parts of one client's connection to which its session delegates. */
record ClientParts(
    RingQueue<Exchange> ring,
    BackPressure pressure,
    ReplyOrder replies,
    GatheredValue gathered,
    LentRequest lentRequest,
    ServerAccess access) {}
