/** The table of keys, the types of their values, and the check of a tree against this table. */
@NullMarked
package sluice.config.schema;

import org.jspecify.annotations.NullMarked;
