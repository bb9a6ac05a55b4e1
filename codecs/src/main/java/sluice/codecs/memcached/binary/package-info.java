/**
 * The binary protocol: the fields of a packet's header, the opcodes and the statuses.
 *
 * <p>Not here: extras, keys and values, which lie behind the header and which whoever reads the
 * stream finds by its lengths.
 */
package sluice.codecs.memcached.binary;
