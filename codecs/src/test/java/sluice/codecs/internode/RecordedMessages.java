package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sluice.names.Verb;

/** The recorded streams, taken out of their frames. */
public final class RecordedMessages {
  private static final int ACCEPT_LENGTH = 12;

  private RecordedMessages() {}

  /**
   * One message, header and payload.
   *
   * @param name of the stream, and its number in there
   */
  public record Recorded(String name, int version, byte[] bytes) {
    /** Its header, over a buffer of its own. */
    public MessageHeader header() {
      MessageHeader header = new MessageHeader();
      header.parse(Unpooled.wrappedBuffer(bytes), 0, bytes.length, version);
      return header;
    }

    public Verb verb() {
      return Verb.of(header().verb());
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** One direction of a streaming connection, behind the handshake. */
  public record RecordedStream(String name, int version, byte[] bytes) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Every message that nodes sent to each other, or that was built with all kinds of params. */
  public static List<Recorded> all() {
    List<Recorded> all = new ArrayList<>();
    for (Vectors.Vector vector : Vectors.intact()) {
      byte[] bytes = vector.bytes();
      List<byte[]> messages =
          messages(
              vector.framing(),
              vector.version(),
              ReframerTest.tail(bytes, ReframerTest.start(bytes)));
      if (messages.size() != vector.messages().size()) {
        throw new IllegalStateException(vector + ": " + messages.size() + " messages");
      }
      for (int i = 0; i < messages.size(); i++) {
        all.add(new Recorded(vector.file() + "#" + i, vector.version(), messages.get(i)));
      }
    }
    return all;
  }

  /** The messages in some frames, header and payload of each. */
  static List<byte[]> messages(Framing framing, int version, byte[] frames) {
    List<byte[]> messages = new ArrayList<>();
    ByteBuf plain;
    try (Collected c = Collected.ofFrames(framing, Framing.UNPROTECTED)) {
      plain = Unpooled.wrappedBuffer(c.read(frames, 0, frames.length + 1).out());
    }
    Frame frame = new Frame(Framing.UNPROTECTED);
    ByteBuf open = Unpooled.buffer();
    for (int at = 0; at < plain.readableBytes(); at += frame.length()) {
      frame.wrap(plain, at);
      open.writeBytes(plain, at + Framing.UNPROTECTED.headerLength(), frame.plainLength());
      while (open.isReadable()) {
        long length = MessageLength.of(open, open.readerIndex(), open.writerIndex(), version);
        if (length == MessageLength.INCOMPLETE || length > open.readableBytes()) {
          break;
        }
        byte[] message = new byte[(int) length];
        open.readBytes(message);
        messages.add(message);
      }
    }
    if (open.isReadable()) {
      throw new IllegalStateException(open.readableBytes() + " bytes that are no message");
    }
    return messages;
  }

  /** The streaming connections, each direction that says more than a handshake. */
  public static List<RecordedStream> streaming() {
    List<RecordedStream> streams = new ArrayList<>();
    for (Vectors.Vector vector : Vectors.ALL) {
      if (vector.file().startsWith("stream/") && vector.file().contains("streaming")) {
        byte[] there = vector.bytes();
        ByteBuf in = Unpooled.wrappedBuffer(there);
        int start = new Initiate().wrap(in, 0).length();
        streams.add(stream(vector, vector.file(), there, start));
        String back = vector.file().replace(".c2s.", ".s2c.");
        streams.add(stream(vector, back, Vectors.bytes(back), ACCEPT_LENGTH));
      }
    }
    return streams.stream().filter(s -> s.bytes().length > 0).toList();
  }

  private static RecordedStream stream(
      Vectors.Vector vector, String name, byte[] bytes, int start) {
    return new RecordedStream(
        name, vector.version(), Arrays.copyOfRange(bytes, start, bytes.length));
  }

  /** A file of the vectors. */
  public static byte[] bytes(String file) {
    return Vectors.bytes(file);
  }
}
