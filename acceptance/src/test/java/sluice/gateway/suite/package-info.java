/**
 * The acceptance suite: the gateway seen from outside, by recorded bytes and by real clients,
 * beside real memcached servers.
 *
 * <p>Nothing here knows how the gateway works inside: a test starts a {@link
 * sluice.gateway.suite.GatewayUnderTest} from a configuration file and talks to its sockets. With
 * {@code -Dsluice.suite.gateway=direct} the tests talk to memcached itself, which proves the tests.
 */
package sluice.gateway.suite;
