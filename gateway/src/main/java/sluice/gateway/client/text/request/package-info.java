/**
 * Text requests while they are being handled: their lines, keys and phases, and how they are
 * written.
 */
@NullMarked
package sluice.gateway.client.text.request;

import org.jspecify.annotations.NullMarked;
