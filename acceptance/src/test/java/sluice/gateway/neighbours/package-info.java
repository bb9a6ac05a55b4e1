/**
 * What a hostile client does to its neighbours on one server connection: nothing.
 *
 * <p>Here are generated requests that bend the reply kind of memcached, well-behaved clients beside
 * them whose replies are known, and every kind of rule between them. Not here: what the hostile
 * client itself is answered; {@code suite.HostileInputTest} compares that.
 */
package sluice.gateway.neighbours;
