/**
 * The binary protocol: the fields of a packet's header, the opcodes and the statuses.
 *
 * <p>Not here: extras, keys and values. They follow the header, and the reader of the stream finds
 * them by the header's lengths.
 */
@NullMarked
package sluice.codecs.memcached.binary;

import org.jspecify.annotations.NullMarked;
