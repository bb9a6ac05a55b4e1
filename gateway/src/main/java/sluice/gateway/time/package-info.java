/** The clocks and the random numbers of the gateway's code. */
@NullMarked
package sluice.gateway.time;

import org.jspecify.annotations.NullMarked;
