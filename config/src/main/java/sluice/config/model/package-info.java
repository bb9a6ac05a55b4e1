/** Checked records of the configuration, every default filled in, and the enums of its words. */
@NullMarked
package sluice.config.model;

import org.jspecify.annotations.NullMarked;
