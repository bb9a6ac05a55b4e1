/**
 * Elements of every load: keys and values, requests of each dialect of memcached with the expected
 * replies, and the end of a run. How requests are sent and timed is not here.
 */
@NullMarked
package sluice.load.traffic;

import org.jspecify.annotations.NullMarked;
