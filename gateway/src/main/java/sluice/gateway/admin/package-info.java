/**
 * The admin port: health, state, metrics and draining over HTTP, as JSON for programs.
 *
 * <p>Here: paths, methods, status codes, limits on what a stranger may send. Not here: the facts
 * that are told, which come from an {@link sluice.gateway.admin.AdminView}; what is counted, which
 * is the metrics package's.
 */
package sluice.gateway.admin;
