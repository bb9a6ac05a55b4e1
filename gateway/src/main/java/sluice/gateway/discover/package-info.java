/**
 * Servers that are learned: by DNS, or from an ElastiCache cluster.
 *
 * <p>Here: who is asked, how often, and which answers count. Not here: what becomes of the servers,
 * which is what becomes of those that are written.
 */
package sluice.gateway.discover;
