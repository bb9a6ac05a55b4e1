package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** TLS 1.3 between two channels without sockets, by Java and by OpenSSL (BoringSSL). */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 8, time = 2) // ciphers are slow until their intrinsics are there
@Measurement(iterations = 5, time = 1)
public class TlsRecordBenchmark {
  /** Whose TLS it is. */
  @Param({"JDK", "OPENSSL"})
  public SslProvider provider;

  /** The bytes of a message. */
  @Param({"100", "16000", "131000"})
  public int length;

  private SslContext forServer;
  private SslContext forClient;
  private EmbeddedChannel client;
  private EmbeddedChannel server;
  private ByteBuf message;
  private int port;

  /** Shakes hands, and compares what comes through with what was sent. */
  @Setup
  public void setup() throws Exception {
    X509Bundle authority =
        new CertificateBuilder().subject("CN=ca").setIsCertificateAuthority(true).buildSelfSigned();
    X509Bundle identity =
        new CertificateBuilder()
            .rsa2048()
            .subject("CN=server")
            .addSanDnsName("server")
            .buildIssuedBy(authority);
    forServer =
        SslContextBuilder.forServer(
                identity.getKeyPair().getPrivate(), identity.getCertificatePath())
            .sslProvider(provider)
            .protocols("TLSv1.3")
            .build();
    forClient =
        SslContextBuilder.forClient()
            .trustManager(authority.getCertificate())
            .sslProvider(provider)
            .protocols("TLSv1.3")
            .build();
    connect();
    message = ByteBufAllocator.DEFAULT.directBuffer(length);
    for (int i = 0; i < length; i++) {
      message.writeByte(i);
    }
    ByteBuf through = ByteBufAllocator.DEFAULT.directBuffer(length);
    client.writeOutbound(message.retainedDuplicate());
    pass(client, server);
    for (ByteBuf read = server.readInbound(); read != null; read = server.readInbound()) {
      through.writeBytes(read);
      read.release();
    }
    if (!through.equals(message)) {
      throw new IllegalStateException("what came is not what was sent");
    }
    through.release();
  }

  private void connect() {
    server = new EmbeddedChannel(new SslHandler(engine(forServer)));
    client = new EmbeddedChannel(new SslHandler(engine(forClient)));
    boolean any = true;
    while (any) {
      any = pass(client, server);
      any |= pass(server, client);
      client.runPendingTasks();
      server.runPendingTasks();
    }
    if (!client.pipeline().get(SslHandler.class).handshakeFuture().isSuccess()
        || !server.pipeline().get(SslHandler.class).handshakeFuture().isSuccess()) {
      throw new IllegalStateException("no handshake");
    }
  }

  /** Another port each time, or the session before would be resumed. */
  private SSLEngine engine(SslContext context) {
    port = port % 65_535 + 1;
    return context.newEngine(ByteBufAllocator.DEFAULT, "server", port);
  }

  private static boolean pass(EmbeddedChannel from, EmbeddedChannel to) {
    boolean any = false;
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      any = true;
      to.writeInbound(bytes);
    }
    return any;
  }

  /** Gives everything back. */
  @TearDown
  public void tearDown() {
    message.release();
    disconnect();
  }

  private void disconnect() {
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
  }

  /** A message encrypted and decrypted. */
  @Benchmark
  public int message() {
    client.writeOutbound(message.retainedDuplicate());
    pass(client, server);
    int read = 0;
    for (ByteBuf bytes = server.readInbound(); bytes != null; bytes = server.readInbound()) {
      read += bytes.readableBytes();
      bytes.release();
    }
    return read;
  }

  /** Both sides of a handshake. */
  @Benchmark
  public boolean handshake() {
    disconnect();
    connect();
    return client.isOpen();
  }
}
