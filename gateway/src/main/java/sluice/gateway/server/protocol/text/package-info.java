/**
 * memcached's text protocol, as servers speak it: classic and meta. They share connections, and
 * often the first bytes of a reply.
 */
@NullMarked
package sluice.gateway.server.protocol.text;

import org.jspecify.annotations.NullMarked;
