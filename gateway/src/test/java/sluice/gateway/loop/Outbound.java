package sluice.gateway.loop;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;

/** What was written to a channel that has no socket. */
public final class Outbound {
  private Outbound() {}

  /** All that was written and flushed since the last call, a char a byte. Releases it. */
  public static String text(EmbeddedChannel channel) {
    StringBuilder all = new StringBuilder();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      all.append(out.toString(ISO_8859_1));
      out.release();
    }
    return all.toString();
  }
}
