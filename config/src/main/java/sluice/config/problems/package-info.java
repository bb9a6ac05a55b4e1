/** What is wrong with a file, and where; knows no other package of the configuration. */
package sluice.config.problems;
