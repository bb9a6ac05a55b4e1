/** State that the clients of one event loop share: memory, and the closing of stalled clients. */
@NullMarked
package sluice.gateway.session;

import org.jspecify.annotations.NullMarked;
