/**
 * Names that the configuration file, the protocols and the metrics have in common: each once, as an
 * enum.
 */
package sluice.names;
