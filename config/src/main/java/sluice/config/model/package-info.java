/**
 * Checked records: what a configuration says, every default filled in, and the words that it is
 * said with.
 */
package sluice.config.model;
