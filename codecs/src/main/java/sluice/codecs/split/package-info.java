/**
 * Values that are stored in chunks: the head that replaces them, and the keys of their chunks. Not
 * here: which values are split, and how chunks reach servers.
 */
@NullMarked
package sluice.codecs.split;

import org.jspecify.annotations.NullMarked;
