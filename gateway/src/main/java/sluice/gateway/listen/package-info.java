/** Acceptance of clients: PROXY header, dialect, and the handlers of a connection. */
package sluice.gateway.listen;
