/** Readers of memcached's binary protocol and of Ignite's dialect: packets in, requests out. */
package sluice.gateway.client.binary;
