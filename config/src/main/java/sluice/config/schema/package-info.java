/** The table of keys, the types of their values, and the check of a tree against it. */
package sluice.config.schema;
