package sluice.gateway.client;

import sluice.gateway.request.PendingReply;
import sluice.gateway.request.RingQueue;

/** Parts of one client's connection to which its session delegates. */
record ClientParts(
    RingQueue<PendingReply> ring,
    BackPressure pressure,
    ReplyOrder replies,
    GatheredValue gathered,
    GatheredLine line,
    ExclusiveRequest exclusiveRequest,
    ServerAccess access) {}
