/**
 * {@code sluice top}: what a running gateway does, in a terminal.
 *
 * <p>Here: asking an admin port, and texts made of its answers. Not here: anything of the gateway
 * itself, which may be another process on another machine.
 */
package sluice.gateway.top;
