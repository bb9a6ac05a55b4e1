/**
 * Who may log in, to a listener or to the admin port.
 *
 * <p>Not here: how logins come, which is each protocol's own.
 */
package sluice.gateway.auth;
