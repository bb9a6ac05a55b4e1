/**
 * memcached's text protocol, as servers speak it: classic and meta, which share connections, and
 * often a reply's first bytes.
 */
package sluice.gateway.server.protocol.text;
