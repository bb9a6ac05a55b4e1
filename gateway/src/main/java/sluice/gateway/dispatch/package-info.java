/**
 * Destinations of requests: backends, the pools at the end of each chain, and a request's context.
 */
package sluice.gateway.dispatch;
