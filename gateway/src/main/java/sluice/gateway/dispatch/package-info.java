/** Backends of requests: pools, policies around them, and a request's context. */
@NullMarked
package sluice.gateway.dispatch;

import org.jspecify.annotations.NullMarked;
