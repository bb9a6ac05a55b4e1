/** State that the clients of one event loop share: memory, and the closing of stalled clients. */
package sluice.gateway.session;
