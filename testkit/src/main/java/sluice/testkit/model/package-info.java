/** A model of how versions of memcached read lines, and what it answers. */
package sluice.testkit.model;
