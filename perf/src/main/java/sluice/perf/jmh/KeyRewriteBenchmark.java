package sluice.perf.jmh;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.gateway.request.KeyRewrite;

/** A route's change of a key's prefix, on the way to the server and back. */
public class KeyRewriteBenchmark extends CodecBenchmark {
  private static final String STRIP = "session:";
  private static final String ADD = "tenant-7:v2:";

  /** Bytes of the key behind its prefix. */
  @Param({"16", "200"})
  public int length;

  private final KeyRewrite rewrite = new KeyRewrite(bytes(STRIP), bytes(ADD));
  private ByteBuf clients;
  private ByteBuf servers;
  private ByteBuf out;

  /** Compares both ways, there and back. */
  @Setup
  public void setup() {
    String rest = "k".repeat(length);
    clients = direct(STRIP + rest);
    servers = direct(ADD + rest);
    out = direct(256);
    sameBytes(toServer(), servers, "the server's key");
    sameBytes(toServerStrings(), servers, "the server's key by way of strings");
    sameBytes(toClient(), clients, "the client's key");
  }

  /** Ours. */
  @Benchmark
  public ByteBuf toServer() {
    out.clear();
    int end = clients.writerIndex();
    if (rewrite.fits(clients, 0, end)) {
      rewrite.toServer(clients, 0, end, out);
    }
    return out;
  }

  /** Ours, back. */
  @Benchmark
  public ByteBuf toClient() {
    out.clear();
    int end = servers.writerIndex();
    if (rewrite.fitsBack(servers, 0, end)) {
      rewrite.toClient(servers, 0, end, out);
    }
    return out;
  }

  /** The key as a string. */
  @Benchmark
  public ByteBuf toServerStrings() {
    out.clear();
    String key = clients.toString(ISO_8859_1);
    if (key.startsWith(STRIP)) {
      out.writeCharSequence(ADD + key.substring(STRIP.length()), ISO_8859_1);
    }
    return out;
  }
}
