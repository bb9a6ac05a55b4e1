/**
 * Misbehaving peers: a server that answers late, twice, wrongly or not at all, and clients that do
 * not read, finish or wait. They use plain sockets, and their own tables of the protocol.
 */
@NullMarked
package sluice.testkit.misbehaving;

import org.jspecify.annotations.NullMarked;
