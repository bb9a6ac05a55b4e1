/**
 * Names that the configuration file, the protocols and the metrics share, each defined once as an
 * enum.
 */
package sluice.names;
