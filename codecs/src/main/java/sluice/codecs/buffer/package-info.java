/**
 * Buffer operations that every protocol needs: decimal numbers and fingerprints of keys, read in
 * place; queues that join reads without copying; and search and replacement of byte strings in such
 * queues.
 *
 * <p>Not here: anything that knows a protocol, and how keys map to servers.
 */
@NullMarked
package sluice.codecs.buffer;

import org.jspecify.annotations.NullMarked;
