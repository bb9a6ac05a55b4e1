/**
 * The demonstration: a gateway, servers and clients in one process.
 *
 * <p>Not here: anything that a gateway needs.
 */
@NullMarked
package sluice.gateway.demo;

import org.jspecify.annotations.NullMarked;
