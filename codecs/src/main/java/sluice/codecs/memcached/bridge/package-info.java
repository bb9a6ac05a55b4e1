/**
 * One neutral view of a request and of a reply, and for each dialect what reads into them and what
 * writes from them: n readers and n writers make n times n bridges (docs/bridging.md).
 *
 * <p>Not here: where a request, a reply or a value ends in a stream; values, which never pass
 * through these views; which server is asked, and who waits for the reply.
 */
package sluice.codecs.memcached.bridge;
