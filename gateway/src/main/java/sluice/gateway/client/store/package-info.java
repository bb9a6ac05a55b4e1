/** Replies of the embedded store to clients: their outcome, and the client's key in them. */
package sluice.gateway.client.store;
