package sluice.testkit.scripted;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.testkit.Acceptor;
import sluice.testkit.Bytes;
import sluice.testkit.Opcode;

/**
 * Ignite node that answers by a test's script, and records every request with its connection. It
 * always replies to noop and version.
 */
public final class ScriptedNode implements AutoCloseable {
  /** Action of a connection's thread on a request; it may wait. */
  public interface Script {
    /** Called with each request, in the order of its connection. */
    void handle(Request request) throws IOException, InterruptedException;
  }

  /** A packet without its value. */
  public record Request(int connection, int opcode, int opaque, String key, Socket socket) {
    /** Replies with bytes. */
    public void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
    }

    /** The reply packet to this one, with types if this is a get. */
    public byte[] reply(int status, String value) {
      boolean get = opcode == Opcode.GET;
      Bytes reply = new Bytes().int8(0x81).int8(opcode).int16(0).int8(get ? 4 : 0).int8(0);
      reply.int16(status).int32((get ? 4 : 0) + value.length()).int32(opaque).int64(0);
      return (get ? reply.int32(0) : reply).ascii(value).toArray();
    }

    /** The reply of a node that finds, stores and deletes everything, with the key as the value. */
    public byte[] right() {
      return switch (opcode) {
        case Opcode.GET -> reply(0, key);
        case Opcode.INCREMENT -> reply(0, "\0\0\0\0\0\0\0\7");
        default -> reply(0, "");
      };
    }
  }

  private final Script script;
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger closedByPeer = new AtomicInteger();
  private final Acceptor acceptor;

  /** A node on any port of the loopback address. */
  public ScriptedNode(Script script) throws IOException {
    this.script = script;
    acceptor = Acceptor.onLoopback(0, "scripted node", this::serve);
  }

  /** The address that it listens on. */
  public InetSocketAddress address() {
    return acceptor.address();
  }

  /** All requests so far except noops and versions, in the order in which they were read. */
  public List<Request> requests() {
    return requests;
  }

  /** Connections that the other side has closed. */
  public int closedByPeer() {
    return closedByPeer.get();
  }

  private void serve(int number, Socket socket) {
    try (socket) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        in.skipNBytes(1);
        int opcode = in.readUnsignedByte();
        int key = in.readUnsignedShort();
        int extras = in.readUnsignedByte();
        in.skipNBytes(3);
        int body = in.readInt();
        int opaque = in.readInt();
        in.skipNBytes(8 + extras);
        String name = new String(in.readNBytes(key), StandardCharsets.ISO_8859_1);
        in.skipNBytes(body - extras - key);
        Request request = new Request(number, opcode, opaque, name, socket);
        if (opcode == Opcode.NOOP) {
          request.send(request.reply(0, ""));
        } else if (opcode == Opcode.VERSION) {
          request.send(request.reply(0, "2.18.0"));
        } else {
          requests.add(request);
          script.handle(request);
        }
      }
    } catch (IOException | InterruptedException e) {
      closedByPeer.incrementAndGet();
    }
  }

  @Override
  public void close() throws IOException {
    acceptor.close();
  }
}
