/** How long a client may stay, whether what it sends arrives, and how far one has left. */
@NullMarked
package sluice.gateway.client.leaving;

import org.jspecify.annotations.NullMarked;
