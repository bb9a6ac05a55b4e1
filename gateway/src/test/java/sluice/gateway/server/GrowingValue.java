package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.TextReplyWriter;
import sluice.codecs.memcached.bridge.TextRequestWriter;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.RequestPool;
import sluice.gateway.values.WholeValue;

/** A pool's work that makes each value longer, as a decompression does. */
public final class GrowingValue extends WholeValue {
  /** Set by a test: the next value sets off an error of the program. */
  static boolean breaks;

  private static int by = 1;

  private GrowingValue() {}

  /** Each value becomes so many bytes longer from now on; 1 unless a test says otherwise. */
  public static void growBy(int bytes) {
    by = bytes;
  }

  /** The value that a text {@code get} of key is answered with is to grow. */
  public static void bridge(PendingReply pending, RequestPool pool, String key) {
    Request request = new Request().clear(Operation.GET);
    request.wants = Request.VALUE | Request.FLAGS;
    request.returnsKey = true;
    ByteBuf bytes = Unpooled.copiedBuffer(key, ISO_8859_1);
    request.key.set(bytes, 0, key.length());
    request.clientKey.set(bytes, 0, key.length());
    Bridged bridged = pool.takeBridged();
    bridged.awaited().remember(request);
    RequestWriter writer = TextRequestWriter.INSTANCE;
    assertThat(writer.write(request, 7, bridged.awaited(), Unpooled.buffer())).isNull();
    bridged.between(writer.replies(), TextReplyWriter.INSTANCE, new GrowingValue());
    pending.bridge(bridged);
  }

  @Override
  public Failure inbound(Reply reply, Awaited awaited, SliceList value) {
    if (breaks) {
      breaks = false;
      throw new IllegalStateException("a value that breaks");
    }
    value.add(Unpooled.copiedBuffer("!".repeat(by), ISO_8859_1));
    reply.value(value.length());
    return null;
  }
}
