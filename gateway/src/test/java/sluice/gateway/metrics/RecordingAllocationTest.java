package sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import sluice.names.Command;

class RecordingAllocationTest {
  private static final int RECORDS = 1_000_000;

  @Test
  void shouldAllocateNothingPerRequest() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    GatewayMetrics metrics = new GatewayMetrics();
    LoopMetrics loop = metrics.newLoop();
    ListenerMetrics listener = loop.listener("cache");
    ServerMetrics server = loop.server("cache", "a:1");
    record(loop, listener, server, 20_000);

    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    record(loop, listener, server, RECORDS);
    long allocated = threads.getThreadAllocatedBytes(thread) - before;

    // one object a request would be 16 MB; asking for the number itself costs a few bytes
    assertThat(allocated).isLessThan(1_000);
    assertThat(listener.requests(Command.GET, Outcome.OK)).isEqualTo(RECORDS + 20_000L);
    metrics.close();
  }

  private static void record(
      LoopMetrics loop, ListenerMetrics listener, ServerMetrics server, int times) {
    for (int i = 0; i < times; i++) {
      loop.requestStarted();
      loop.bytes(Direction.CLIENT_IN, 30);
      loop.bytes(Direction.SERVER_OUT, 30);
      loop.bufferedBytes(30);
      server.serverTime(50_000 + i);
      server.lateReplyDropped();
      listener.request(Command.GET, Outcome.OK, 60_000 + i, 10_000 + i);
      listener.request(Command.SET, Outcome.CLIENT_GONE);
      loop.bufferedBytes(-30);
      loop.requestEnded();
    }
  }
}
