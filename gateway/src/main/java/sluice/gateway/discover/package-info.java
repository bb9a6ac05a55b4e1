/**
 * Discovery of servers: by DNS, or from an ElastiCache cluster.
 *
 * <p>Here: the sources, the intervals, which answers are accepted, and how the names of servers
 * that the file lists are looked up. Not here: the use of the servers, which is the same for both.
 */
@NullMarked
package sluice.gateway.discover;

import org.jspecify.annotations.NullMarked;
