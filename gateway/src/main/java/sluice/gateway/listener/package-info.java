/**
 * Listeners from the point of view of their clients: what a client may do, and which rule takes its
 * requests.
 */
@NullMarked
package sluice.gateway.listener;

import org.jspecify.annotations.NullMarked;
