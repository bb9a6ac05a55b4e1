/** How long a client may stay, and how far one has left. */
package sluice.gateway.client.leaving;
