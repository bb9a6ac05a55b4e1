/**
 * The only package that uses Vert.x's internals, to install handlers in the pipeline of a socket
 * whose life Vert.x manages.
 */
@NullMarked
package sluice.gateway.net;

import org.jspecify.annotations.NullMarked;
