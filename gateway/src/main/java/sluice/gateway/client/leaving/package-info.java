/** How long a client may stay, how far one has left, and how its connection is closed. */
@NullMarked
package sluice.gateway.client.leaving;

import org.jspecify.annotations.NullMarked;
