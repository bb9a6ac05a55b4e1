/**
 * Compression in an event loop's own memory, and the form in which compressed values are stored.
 * Not here: which values are compressed, and the compressed forms of other protocols.
 */
@NullMarked
package sluice.codecs.compress;

import org.jspecify.annotations.NullMarked;
