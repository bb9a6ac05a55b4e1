/** Model of how versions of memcached read lines, and of their answers. */
@NullMarked
package sluice.testkit.model;

import org.jspecify.annotations.NullMarked;
