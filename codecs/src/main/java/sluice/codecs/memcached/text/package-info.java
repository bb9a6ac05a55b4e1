/**
 * The text protocol, classic and meta, as views of single lines: a request's tokens, command, flags
 * and data block; a reply's status and size.
 *
 * <p>Not here: where a line or a data block ends in a stream. The reader of the stream keeps track
 * of that.
 */
@NullMarked
package sluice.codecs.memcached.text;

import org.jspecify.annotations.NullMarked;
