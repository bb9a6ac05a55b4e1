/**
 * Random requests beyond memcached's reply kind, which servers read differently or not at all, and
 * clients that send them.
 */
@NullMarked
package sluice.testkit.kind;

import org.jspecify.annotations.NullMarked;
