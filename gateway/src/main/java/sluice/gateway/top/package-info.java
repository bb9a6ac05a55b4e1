/**
 * {@code sluice top}: the activity of a running gateway, in a terminal.
 *
 * <p>Here: queries to an admin port, and screens made of its answers. Not here: the gateway itself,
 * which may be another process on another machine.
 */
@NullMarked
package sluice.gateway.top;

import org.jspecify.annotations.NullMarked;
