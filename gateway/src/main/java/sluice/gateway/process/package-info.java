/**
 * The process: its start, stop and reloads, and the event loops with what they share. Routes and
 * pools of a configuration are in {@code routing}.
 */
@NullMarked
package sluice.gateway.process;

import org.jspecify.annotations.NullMarked;
