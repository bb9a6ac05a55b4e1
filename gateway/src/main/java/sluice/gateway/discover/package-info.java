/**
 * Discovery of servers: by DNS, or from an ElastiCache cluster.
 *
 * <p>Here: the sources, the intervals, and which answers are accepted. Not here: the use of the
 * servers, which is the same as of those written in the file.
 */
@NullMarked
package sluice.gateway.discover;

import org.jspecify.annotations.NullMarked;
