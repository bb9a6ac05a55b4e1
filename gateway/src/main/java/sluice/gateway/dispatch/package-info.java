/**
 * Destinations of requests: backends, the pools at the end of each chain, and a request's context.
 */
@NullMarked
package sluice.gateway.dispatch;

import org.jspecify.annotations.NullMarked;
