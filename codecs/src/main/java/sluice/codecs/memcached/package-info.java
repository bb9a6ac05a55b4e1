/**
 * Facts that memcached's dialects have in common: their commands, and what depends on a server's
 * version.
 *
 * <p>Not here: how a dialect writes them ({@code text} for classic and meta, {@code binary}), and
 * what a command does to an item.
 */
@NullMarked
package sluice.codecs.memcached;

import org.jspecify.annotations.NullMarked;
