/** Checks across the keys of a file whose parts have the right shape. */
package sluice.config.rules;
