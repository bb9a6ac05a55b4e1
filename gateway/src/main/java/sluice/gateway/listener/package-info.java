/**
 * Listeners from the point of view of their clients: what a client may do, and which rule takes its
 * requests.
 */
package sluice.gateway.listener;
