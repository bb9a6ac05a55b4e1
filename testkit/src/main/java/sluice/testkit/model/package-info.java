/** Model of how versions of memcached read lines and reply to them. */
@NullMarked
package sluice.testkit.model;

import org.jspecify.annotations.NullMarked;
