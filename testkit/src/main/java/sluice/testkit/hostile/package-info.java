/**
 * Random requests that memcached's versions read differently or not at all, and clients that send
 * them.
 */
@NullMarked
package sluice.testkit.hostile;

import org.jspecify.annotations.NullMarked;
