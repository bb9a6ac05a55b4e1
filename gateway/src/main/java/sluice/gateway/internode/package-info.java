/**
 * Links between Cassandra nodes: two sockets, one conversation, on one event loop. Not here: what
 * is in frames and messages (codecs), and which verbs a route takes out (route).
 */
package sluice.gateway.internode;
