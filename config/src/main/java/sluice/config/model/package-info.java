/** Checked records of the configuration, every default filled in, and the enums of its words. */
package sluice.config.model;
