/**
 * Users who may log in, to a listener or to the admin port.
 *
 * <p>Not here: the form of a login, which depends on the protocol.
 */
@NullMarked
package sluice.gateway.auth;

import org.jspecify.annotations.NullMarked;
