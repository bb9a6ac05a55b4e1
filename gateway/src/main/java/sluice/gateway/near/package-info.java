/**
 * Near caches: values that were recently read, kept inside this process for a short time. A value
 * is dropped at the latest when a client of this process changes it. Requests and replies are
 * handled in the client package.
 */
@NullMarked
package sluice.gateway.near;

import org.jspecify.annotations.NullMarked;
