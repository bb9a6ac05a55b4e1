package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.ignite.IgniteRequest;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.BinaryReplyWriter;
import sluice.codecs.memcached.bridge.BinaryRequestReader;
import sluice.codecs.memcached.bridge.BinaryRequestWriter;
import sluice.codecs.memcached.bridge.IgniteReplyWriter;
import sluice.codecs.memcached.bridge.IgniteRequestReader;
import sluice.codecs.memcached.bridge.IgniteRequestWriter;
import sluice.codecs.memcached.bridge.MetaReplyWriter;
import sluice.codecs.memcached.bridge.MetaRequestReader;
import sluice.codecs.memcached.bridge.MetaRequestWriter;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyReader;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.RequestWriter;
import sluice.codecs.memcached.bridge.TextReplyWriter;
import sluice.codecs.memcached.bridge.TextRequestReader;
import sluice.codecs.memcached.bridge.TextRequestWriter;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;

/**
 * A get and its reply between each pair of dialects, through the canonical form: heads only, values
 * pass as they are.
 */
public class BridgeBenchmark extends CodecBenchmark {
  /** Memcached's three dialects, and Apache Ignite's of the third. */
  public enum Dialect {
    TEXT,
    META,
    BINARY,
    IGNITE
  }

  private static final String KEY = "user:1234567890";
  private static final int FLAGS = 5;
  private static final long CAS = 9;
  private static final int VALUE_LENGTH = 100;
  private static final int CLIENT_OPAQUE = 0x11223344;
  private static final int SERVER_OPAQUE = 7;

  /** The client's dialect. */
  @Param({"TEXT", "META", "BINARY", "IGNITE"})
  public Dialect client;

  /** What the server speaks. */
  @Param({"TEXT", "META", "BINARY", "IGNITE"})
  public Dialect server;

  private final TextLine tokens = new TextLine();
  private final IgniteRequest packet = new IgniteRequest();
  private final Request request = new Request();
  private final Awaited awaited = new Awaited();
  private final Reply reply = new Reply();
  private RequestWriter requests;
  private ReplyReader replies;
  private ReplyWriter answers;
  private ByteBuf asked;
  private ByteBuf answered;
  private ByteBuf end;
  private ByteBuf toServer;
  private ByteBuf toClient;

  /** Compares what leaves in both directions with the words of both protocols. */
  @Setup
  public void setup() {
    requests =
        switch (server) {
          case TEXT -> TextRequestWriter.INSTANCE;
          case META -> MetaRequestWriter.INSTANCE;
          case BINARY -> BinaryRequestWriter.INSTANCE;
          case IGNITE -> new IgniteRequestWriter(new byte[0], false, () -> 0);
        };
    replies = requests.replies();
    answers =
        switch (client) {
          case TEXT -> TextReplyWriter.INSTANCE;
          case META -> MetaReplyWriter.INSTANCE;
          case BINARY -> BinaryReplyWriter.INSTANCE;
          case IGNITE -> new IgniteReplyWriter();
        };
    boolean cas = client == Dialect.BINARY; // a binary reply has a place for it
    asked =
        switch (client) {
          case TEXT -> direct("get " + KEY);
          case META -> direct("mg " + KEY + " v f");
          case BINARY, IGNITE -> direct(packet(0x80, KEY, 0, KEY.length(), CLIENT_OPAQUE, 0));
        };
    answered =
        switch (server) {
          case TEXT -> direct("VALUE " + KEY + " 5 100" + (cas ? " 9" : ""));
          case META -> direct("VA 100 f5" + (cas ? " c9" : "") + " O7");
          case BINARY -> direct(packet(0x81, "", 4, 4 + VALUE_LENGTH, SERVER_OPAQUE, CAS));
          case IGNITE -> direct(packet(0x81, "", 4, 4 + VALUE_LENGTH, SERVER_OPAQUE, 0));
        };
    end = direct("END");
    toServer = direct(256);
    toClient = direct(256);
    same(pending(), FLAGS, "the flags of the reply");
    ByteBuf expected =
        switch (server) {
          case TEXT -> direct((cas ? "gets " : "get ") + KEY + "\r\n");
          case META -> direct("mg " + KEY + " v f" + (cas ? " c" : "") + " O7\r\n");
          case BINARY, IGNITE -> direct(packet(0x80, KEY, 0, KEY.length(), SERVER_OPAQUE, 0));
        };
    sameBytes(toServer, expected, "the request");
    boolean told = cas && server != Dialect.IGNITE;
    expected =
        switch (client) {
          case TEXT -> direct("VALUE " + KEY + " 5 100\r\n\r\nEND\r\n");
          case META -> direct("VA 100 f5\r\n\r\n");
          case BINARY, IGNITE ->
              direct(packet(0x81, "", 4, 4 + VALUE_LENGTH, CLIENT_OPAQUE, told ? CAS : 0));
        };
    sameBytes(toClient, expected, "the reply");
    sameBytes(request(), toServer, "the request again");
  }

  /** Header, extras if it has any, and key; of a get, whose opcode is 0, as is its status. */
  private static byte[] packet(int magic, String key, int extras, int body, int opaque, long cas) {
    ByteBuffer packet =
        ByteBuffer.allocate(BinaryHeader.LENGTH + extras + key.length())
            .put((byte) magic)
            .put((byte) 0)
            .putShort((short) key.length())
            .put((byte) extras)
            .put(new byte[3])
            .putInt(body)
            .putInt(opaque)
            .putLong(cas);
    if (extras > 0) {
      packet.putInt(FLAGS);
    }
    return packet.put(bytes(key)).array();
  }

  /** The client's request read, and written for the server. */
  @Benchmark
  public ByteBuf request() {
    if (client == Dialect.BINARY) {
      BinaryRequestReader.read(asked, 0, request);
    } else if (client == Dialect.IGNITE) {
      IgniteRequestReader.read(asked, packet.wrap(asked, 0), request);
    } else {
      tokens.wrap(asked, 0, asked.writerIndex());
      if (client == Dialect.TEXT) {
        TextRequestReader.read(tokens, TextCommands.of(tokens), 1, ServerVersion.EMBEDDED, request);
      } else {
        MetaRequestReader.read(tokens, TextCommands.of(tokens), ServerVersion.EMBEDDED, request);
      }
      request.key.set(asked, tokens.start(1), tokens.end(1));
    }
    awaited.remember(request);
    requests.write(request, SERVER_OPAQUE, awaited, toServer.clear());
    return toServer;
  }

  /** The same, and the server's reply read, and written for the client. */
  @Benchmark
  public int pending() {
    request();
    if (!replies.read(answered, 0, answered.writerIndex(), awaited, reply)) {
      return -1;
    }
    answers.write(reply, awaited, toClient.clear());
    int flags = reply.flags;
    if (reply.goesOn) {
      if (!replies.read(end, 0, end.writerIndex(), awaited, reply)) {
        return -1;
      }
    }
    answers.endValue(awaited, toClient);
    return flags;
  }
}
