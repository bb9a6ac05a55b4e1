/** Checks across the keys of a file whose parts have the right shape. */
@NullMarked
package sluice.config.rules;

import org.jspecify.annotations.NullMarked;
