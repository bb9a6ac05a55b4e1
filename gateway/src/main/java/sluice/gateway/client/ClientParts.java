package sluice.gateway.client;

import sluice.gateway.client.input.ClientInput;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.RingQueue;

/** Parts of one client's connection through which its requests and replies pass. */
record ClientParts(
    RingQueue<PendingReply> ring,
    ClientInput input,
    BackPressure pressure,
    ReplyOrder replies,
    GatheredValue gathered,
    GatheredLine line,
    ExclusiveRequest exclusiveRequest,
    ServerAccess access) {}
