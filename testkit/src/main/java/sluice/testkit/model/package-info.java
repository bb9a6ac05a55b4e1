/** Model of how versions of memcached read lines, and of their answers. */
package sluice.testkit.model;
