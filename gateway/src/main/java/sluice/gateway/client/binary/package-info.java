/** Readers of one dialect, memcached's binary and Ignite's: packets in, requests out. */
package sluice.gateway.client.binary;
