/**
 * Buffer operations that every protocol needs. Decimal numbers and fingerprints of keys are read in
 * place. Queues join reads without copying, and byte strings in them are searched and replaced.
 *
 * <p>Not here: anything that knows a protocol, and how keys map to servers.
 */
@NullMarked
package sluice.codecs.buffer;

import org.jspecify.annotations.NullMarked;
