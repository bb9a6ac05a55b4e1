/** What the clients of one event loop share: memory, and the closing of those that stand still. */
package sluice.gateway.session;
