/**
 * The admin port: health, state, metrics and draining over HTTP, as JSON for programs.
 *
 * <p>Here: paths, methods, status codes, limits on requests. Not here: the facts, which come from
 * an {@link sluice.gateway.admin.AdminView}, and the counters, which are in the metrics package.
 */
@NullMarked
package sluice.gateway.admin;

import org.jspecify.annotations.NullMarked;
