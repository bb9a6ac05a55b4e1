/**
 * memcached's binary protocol, as servers speak it. Ignite's dialect has the same frames; the
 * readers in codecs interpret its packets.
 */
@NullMarked
package sluice.gateway.server.protocol.binary;

import org.jspecify.annotations.NullMarked;
