/** Choice of a request's pool and of its key: pure, no I/O. */
@NullMarked
package sluice.gateway.route;

import org.jspecify.annotations.NullMarked;
