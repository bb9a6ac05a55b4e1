/**
 * Listeners: a client is accepted, its dialect is found out, and its connection is put together.
 */
package sluice.gateway.listen;
