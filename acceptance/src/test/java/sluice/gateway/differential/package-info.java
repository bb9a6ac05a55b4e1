/**
 * The differential test: random operations of a client sent to one memcached directly and to
 * another through the gateway, and everything compared that a client can see.
 *
 * <p>A {@link sluice.gateway.differential.Pair} is what the client speaks and what the servers are
 * spoken to in; {@link sluice.gateway.differential.Bridging} says, as docs/reference/bridging.md
 * does, where the two sides differ rightly. A {@link sluice.gateway.differential.Round} is some
 * hundred operations that follow from one seed, on empty servers, and the contents at the end; one
 * that differs is run again with ever fewer operations, so that what is reported is small.
 *
 * <p>Left out, because memcached itself does not answer them alike each time:
 *
 * <ul>
 *   <li>statistics, dumps, logs and settings of the server ({@code stats reset} and unknown names
 *       are in);
 *   <li>eviction: the servers have more memory than the keys need;
 *   <li>a delayed {@code flush_all} by itself: until its time comes, items that an earlier flush
 *       hid come back unless the crawler was faster;
 *   <li>incr and decr of a key while a read of it may still be on its way to the client: the item
 *       is then replaced, else overwritten and padded, which shows in its length. Such an operation
 *       waits for the replies before it;
 *   <li>values of nothing but white space: incr would look for a number behind them in the server's
 *       memory;
 *   <li>counters from 2^63 on: before 1.6.40 memcached looks for a minus sign in whatever lies
 *       behind such a number in its memory ({@code safe_strtoull}).
 * </ul>
 */
package sluice.gateway.differential;
