/** Checked records of the configuration, with all defaults, and enums for its fixed words. */
@NullMarked
package sluice.config.model;

import org.jspecify.annotations.NullMarked;
