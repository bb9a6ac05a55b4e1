/**
 * What a round trip costs on each of Netty's transports: messages sent, echoed and sent again, over
 * TCP and unix sockets.
 */
@NullMarked
package sluice.perf.pingpong;

import org.jspecify.annotations.NullMarked;
