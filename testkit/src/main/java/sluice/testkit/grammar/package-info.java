/**
 * The grammar of memcached, bent: random requests that servers read differently, or not at all, and
 * clients that send them.
 */
@NullMarked
package sluice.testkit.grammar;

import org.jspecify.annotations.NullMarked;
