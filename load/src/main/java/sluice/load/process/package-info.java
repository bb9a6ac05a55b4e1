/** Processes on this machine that a load needs: the gateway and memcached, and ports for them. */
@NullMarked
package sluice.load.process;

import org.jspecify.annotations.NullMarked;
