/** Problems in a file, and their places; depends on no other package of the configuration. */
package sluice.config.problems;
