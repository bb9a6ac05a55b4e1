/**
 * Names that the configuration file, the protocols and the metrics share, each defined once as an
 * enum.
 */
@NullMarked
package sluice.names;

import org.jspecify.annotations.NullMarked;
