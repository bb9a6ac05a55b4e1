/** Large values in chunks: the backend that stores and reads them, and the requests it makes. */
@NullMarked
package sluice.gateway.dispatch.chunks;

import org.jspecify.annotations.NullMarked;
