/** Problems in a file, and their places; depends on no other package of the configuration. */
@NullMarked
package sluice.config.problems;

import org.jspecify.annotations.NullMarked;
