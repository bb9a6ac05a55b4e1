/** Listeners as their clients see them: what a client may do, and which rule takes its requests. */
package sluice.gateway.listener;
