/**
 * What every load is made of: keys and values, requests of each dialect of memcached with the
 * replies that they must get, and when to stop. How requests are sent and timed is not here.
 */
package sluice.load.traffic;
