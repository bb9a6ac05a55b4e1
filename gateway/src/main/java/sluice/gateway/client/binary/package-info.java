/** Readers of memcached's binary protocol and of Ignite's dialect: packets in, requests out. */
@NullMarked
package sluice.gateway.client.binary;

import org.jspecify.annotations.NullMarked;
