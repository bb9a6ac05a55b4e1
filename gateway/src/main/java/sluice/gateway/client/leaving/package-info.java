/** How long a client may stay, and how far one has left. */
@NullMarked
package sluice.gateway.client.leaving;

import org.jspecify.annotations.NullMarked;
