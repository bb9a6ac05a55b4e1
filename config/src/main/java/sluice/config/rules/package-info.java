/** Checks across keys: what a file of the right shape must not say either. */
package sluice.config.rules;
