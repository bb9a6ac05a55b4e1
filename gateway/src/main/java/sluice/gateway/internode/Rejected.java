package sluice.gateway.internode;

import java.net.InetSocketAddress;

/**
 * Request that a rule removed, and whose sender wants an answer.
 *
 * @param listener the name of the listener whose route removed it
 * @param target the node in whose name the answer is given
 * @param requester the node that gets the answer: the sender, or the node that the request names
 * @param targetThere the target's own address where addresses are replaced
 * @param requesterThere the requester's address as the target knows it
 * @param id of the request, and of its answer
 * @param epoch of the cluster's metadata that the requester knows; with a later one in the answer,
 *     it would fetch what it missed
 * @param expiresAfterMillis the rest of its time
 * @param maxVersion of the target, which a connection in its name must announce
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
