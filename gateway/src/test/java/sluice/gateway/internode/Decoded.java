package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageWalk;
import sluice.codecs.internode.Reframer;
import sluice.names.Verb;

/**
 * What a stream of frames says.
 *
 * @param messages that are whole, each as {@code id verb headerLength payloadLength}
 * @param plain the bytes of all messages, one after the other
 */
record Decoded(List<String> messages, byte[] plain) {
  static Decoded of(Framing framing, int version, byte[] bytes, int from) {
    List<String> messages = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    ByteArrayOutputStream unprotected = new ByteArrayOutputStream();
    Workspace workspace = Workspace.of(ByteBufAllocator.DEFAULT);
    MessageWalk walk = new MessageWalk(version, 1L << 30, header -> see(header, messages, ends));
    Reframer reframer =
        Reframer.observing(
            framing, Framing.UNPROTECTED, walk, workspace, out -> write(out, unprotected));
    try {
      reframer.read(Unpooled.copiedBuffer(bytes, from, bytes.length - from));
      if (reframer.heldBytes() > 0) {
        throw new AssertionError(reframer.heldBytes() + " bytes of half a frame");
      }
    } finally {
      reframer.close();
      workspace.scratch().release();
    }
    byte[] plain = payloads(unprotected.toByteArray());
    int whole = (int) ends.stream().filter(end -> end <= plain.length).count();
    return new Decoded(messages.subList(0, whole), plain);
  }

  private static boolean see(MessageHeader header, List<String> messages, List<Long> ends) {
    messages.add(describe(header));
    ends.add((ends.isEmpty() ? 0 : ends.get(ends.size() - 1)) + header.messageLength());
    return true;
  }

  private static String describe(MessageHeader header) {
    return "%d %s %d %d"
        .formatted(
            header.id(),
            Verb.of(header.verb()).label(),
            header.headerLength(),
            header.payloadLength());
  }

  /** What the manifest says of the same messages. */
  static List<String> described(List<List<Object>> manifest) {
    return manifest.stream()
        .map(m -> "%s %s %s %s".formatted(m.get(0), m.get(1), m.get(2), m.get(3)))
        .toList();
  }

  private static void write(ByteBuf bytes, ByteArrayOutputStream out) {
    try {
      bytes.readBytes(out, bytes.readableBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      bytes.release();
    }
  }

  private static byte[] payloads(byte[] unprotected) {
    ByteBuf in = Unpooled.wrappedBuffer(unprotected);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Frame frame = new Frame(Framing.UNPROTECTED);
    for (int at = 0; at < unprotected.length; at += frame.length()) {
      frame.wrap(in, at);
      out.write(unprotected, at + 6, frame.payloadLength());
    }
    return out.toByteArray();
  }
}
