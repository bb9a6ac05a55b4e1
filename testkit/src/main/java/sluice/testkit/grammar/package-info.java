/**
 * Random requests outside memcached's grammar, which servers read differently or not at all, and
 * clients that send them.
 */
@NullMarked
package sluice.testkit.grammar;

import org.jspecify.annotations.NullMarked;
