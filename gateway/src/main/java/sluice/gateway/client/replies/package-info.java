/**
 * How many replies a client may wait for, which connections their servers use, and whether the next
 * one makes progress.
 */
@NullMarked
package sluice.gateway.client.replies;

import org.jspecify.annotations.NullMarked;
