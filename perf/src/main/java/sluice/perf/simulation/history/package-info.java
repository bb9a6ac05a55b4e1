/**
 * What several clients did to one key, and which replies that allows. Nothing here knows of
 * gateways, servers or connections.
 */
@NullMarked
package sluice.perf.simulation.history;

import org.jspecify.annotations.NullMarked;
