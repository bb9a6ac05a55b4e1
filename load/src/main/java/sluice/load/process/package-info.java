/** Processes on this machine that a load needs: the gateway and memcached, and ports for them. */
package sluice.load.process;
