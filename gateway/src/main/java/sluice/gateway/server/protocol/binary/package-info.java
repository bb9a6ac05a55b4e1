/**
 * memcached's binary protocol, as servers speak it. Ignite's dialect has the same frames; what its
 * packets mean is known to the readers of codecs.
 */
package sluice.gateway.server.protocol.binary;
