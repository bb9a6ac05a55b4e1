/** The table of keys, what their values may be, and trees held against it. */
package sluice.config.schema;
