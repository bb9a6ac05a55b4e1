/**
 * Bytes that a client has sent: those that are not processed yet, the end of a streamed value, and
 * whether enough of them arrive.
 */
@NullMarked
package sluice.gateway.client.input;

import org.jspecify.annotations.NullMarked;
