/**
 * What the connections of one event loop share: the flush at the end of a turn, time, memory.
 *
 * <p>Nothing here is thread-safe but what says so: an instance belongs to one event loop.
 */
package sluice.gateway.loop;
