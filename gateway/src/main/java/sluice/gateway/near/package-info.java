/**
 * Near caches: what was read of late, kept inside this process for a short time and never longer
 * than until a client of this process changes it. How requests come and go is the client's package.
 */
package sluice.gateway.near;
