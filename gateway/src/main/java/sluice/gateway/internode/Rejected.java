package sluice.gateway.internode;

import java.net.InetSocketAddress;

/**
 * A request that a rule took out, and whose sender wants to hear of it.
 *
 * @param listener the name of the listener whose route took it out
 * @param target the node in whose name the answer is given
 * @param requester the node that asked, or that the request says is to be answered
 * @param targetThere what the target calls itself where addresses are replaced
 * @param requesterThere what the target calls the requester
 * @param id of the request, and of its answer
 * @param epoch of the cluster's metadata that the requester has seen: told of a later one, it would
 *     fetch what it missed
 * @param expiresAfterMillis what is left of its time
 * @param maxVersion that the target speaks: what a connection in its name must announce
 */
record Rejected(
    String listener,
    InetSocketAddress target,
    InetSocketAddress requester,
    InetSocketAddress targetThere,
    InetSocketAddress requesterThere,
    long id,
    long epoch,
    long expiresAfterMillis,
    int maxVersion) {}
