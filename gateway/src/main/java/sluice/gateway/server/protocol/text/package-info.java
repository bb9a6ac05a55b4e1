/**
 * memcached's text protocol, as servers speak it: classic and meta. They share connections, and
 * often the first bytes of a reply.
 */
package sluice.gateway.server.protocol.text;
