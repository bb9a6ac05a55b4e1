/**
 * The process: its start, stop and reloads, and the event loops with what they share. What a
 * configuration makes of routes and pools is in {@code routing}.
 */
@NullMarked
package sluice.gateway.process;

import org.jspecify.annotations.NullMarked;
