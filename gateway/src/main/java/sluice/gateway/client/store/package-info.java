/** Replies of the embedded store to clients: their outcome, and the client's key in them. */
@NullMarked
package sluice.gateway.client.store;

import org.jspecify.annotations.NullMarked;
