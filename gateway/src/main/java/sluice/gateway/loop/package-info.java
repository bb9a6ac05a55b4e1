/**
 * State that the connections of one event loop share: the flush at the end of a loop iteration,
 * time, memory.
 *
 * <p>Nothing here is thread-safe unless it says so: an instance belongs to one event loop.
 */
@NullMarked
package sluice.gateway.loop;

import org.jspecify.annotations.NullMarked;
