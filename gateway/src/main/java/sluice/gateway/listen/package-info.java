/** Acceptance of clients: PROXY header, dialect, and the handlers of a connection. */
@NullMarked
package sluice.gateway.listen;

import org.jspecify.annotations.NullMarked;
