package sluice.gateway.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;

class TlsRecordsTest {
  private static final int READ_BUFFER = 64 * 1024;
  private static final int SMALL = READ_BUFFER / 4;

  private final X509Bundle bundle;
  private final TlsRecords records;
  private final EmbeddedChannel server;
  private final EmbeddedChannel client;
  private final StringBuilder received = new StringBuilder();
  private long buffered;
  private boolean halfClosable;
  private boolean memoryIsShort;

  TlsRecordsTest() throws Exception {
    bundle =
        new CertificateBuilder().subject("CN=x").setIsCertificateAuthority(true).buildSelfSigned();
    SslContext serving =
        SslContextBuilder.forServer(bundle.toKeyManagerFactory())
            .sslProvider(SslProvider.JDK)
            .build();
    SslContext asking =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .build();
    records = new TlsRecords(serving.newEngine(ByteBufAllocator.DEFAULT), 10_000);
    server =
        new EmbeddedChannel(DefaultChannelId.newInstance(), false, new ServerConfig(), records);
    client = new EmbeddedChannel(new SslHandler(asking.newEngine(ByteBufAllocator.DEFAULT)));
  }

  /** Options of a socket that may be half-closed if the test says so. */
  private final class ServerConfig extends DefaultChannelConfig {
    ServerConfig() {
      super(new EmbeddedChannel());
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
      return option == ChannelOption.ALLOW_HALF_CLOSURE
          ? (T) Boolean.valueOf(halfClosable)
          : super.getOption(option);
    }
  }

  private void addGate() {
    server
        .pipeline()
        .addLast(new TlsGate(delta -> buffered += delta, records, null, null, () -> memoryIsShort));
  }

  /** Carries bytes both ways until there are none, those of the client in pieces of that size. */
  private void carry(int piece) {
    boolean moved = true;
    while (moved) {
      moved = false;
      ByteBuf all = Unpooled.buffer();
      for (ByteBuf out = client.readOutbound(); out != null; out = client.readOutbound()) {
        all.writeBytes(out);
        out.release();
      }
      while (all.isReadable()) {
        moved = true;
        ByteBuf read = Unpooled.buffer(READ_BUFFER);
        read.writeBytes(all, Math.min(piece, all.readableBytes()));
        server.writeInbound(read);
        if (records.heldBytes() < SMALL) {
          assertThat(read.refCnt()).isZero();
        }
      }
      for (ByteBuf out = server.readOutbound(); out != null; out = server.readOutbound()) {
        moved = true;
        client.writeInbound(out);
      }
      for (ByteBuf in = server.readInbound(); in != null; in = server.readInbound()) {
        received.append(in.toString(US_ASCII));
        in.release();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 100, 1_000, 20_000, READ_BUFFER})
  void shouldKeepNoReadBufferForTheBeginningOfARecord(int piece) {
    addGate();
    carry(piece);
    StringBuilder sent = new StringBuilder();
    for (int length : new int[] {1, 10, 1_000, 16_000, 40_000, 5}) {
      String text = "x".repeat(length);
      sent.append(text);
      client.writeOutbound(Unpooled.copiedBuffer(text, US_ASCII));
    }
    carry(piece);
    assertThat(received.toString()).isEqualTo(sent.toString());
    assertThat(records.heldBytes()).isZero();
    assertThat(buffered).isZero();
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
  }

  /** The first record ends the connection, and the next one has begun. */
  @Test
  void shouldReleaseTheBeginningBehindADamagedRecord() {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    server.config().setAllocator(allocator);
    byte[] damaged = {22, 3, 3, 0, 4, -1, -1, -1, -1, 22, 3, 3};
    ByteBuf read = Unpooled.buffer(READ_BUFFER).writeBytes(damaged);
    try {
      server.writeInbound(read);
      server.checkException();
    } catch (Exception refused) {
      assertThat(refused).isNotNull();
    }
    assertThat(read.refCnt()).isZero();
    client.finishAndReleaseAll();
    try {
      server.finishAndReleaseAll();
    } catch (Exception refused) {
      assertThat(refused).isNotNull();
    }
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  /**
   * Appends bytes [from, to) of a handshake message of 32 KiB, the longest that Java takes, in a
   * record. The message is a ClientHello, as far as its first bytes say.
   */
  private static ByteBuf handshake(ByteBuf out, int from, int to) {
    byte[] beginning = {1, 0, 0x7F, (byte) 0xFC};
    out.writeByte(22).writeShort(0x0301).writeShort(to - from);
    for (int i = from; i < to; i++) {
      out.writeByte(i < beginning.length ? beginning[i] : 0);
    }
    return out;
  }

  private static ByteBuf handshake(int from, int to) {
    return handshake(Unpooled.buffer(READ_BUFFER), from, to);
  }

  @Test
  void shouldCountTheBytesOfAHandshakeThatDoesNotEnd() {
    addGate();
    server.writeInbound(handshake(0, 16_384));
    server.writeInbound(handshake(16_384, 32_767));
    assertThat(server.isOpen()).isTrue();
    assertThat(buffered).isEqualTo(32_767 + 2 * 5);
    server.finishAndReleaseAll();
    assertThat(buffered).isZero();
    client.finishAndReleaseAll();
  }

  private static ByteBuf tinyHandshakes(int count) {
    ByteBuf all = Unpooled.buffer(READ_BUFFER);
    for (int i = 0; i < count; i++) {
      handshake(all, i, i + 1);
    }
    return all;
  }

  private void refuses(ByteBuf read, String reason) {
    assertThatThrownBy(() -> server.writeInbound(read))
        .isInstanceOf(TlsException.class)
        .hasMessage("TLS: " + reason);
    assertThat(server.isOpen()).isFalse();
    assertThat(read.refCnt()).isZero();
    server.finishAndReleaseAll();
    assertThat(buffered).isZero();
    client.finishAndReleaseAll();
  }

  @Test
  void shouldRefuseAHandshakeInTinyRecords() {
    addGate();
    server.writeInbound(tinyHandshakes(200));
    assertThat(server.isOpen()).isTrue();
    refuses(handshake(200, 201), "it sent 1206 bytes and 201 handshake records, but no data");
  }

  @Test
  void shouldRefuseManyTinyRecordsOfOneRead() {
    addGate();
    refuses(tinyHandshakes(10_000), "it sent 60000 bytes and 10000 handshake records, but no data");
  }

  /** A client has no reason to send a long message then. */
  @Test
  void shouldRefuseALongMessageAfterTheHandshake() {
    addGate();
    records.shaken();
    server.writeInbound(handshake(0, 4_091));
    assertThat(server.isOpen()).isTrue();
    refuses(handshake(4_091, 4_092), "it sent 4102 bytes and 2 handshake records, but no data");
  }

  /** Appends a record of that many bytes, which nothing can decrypt. */
  private static ByteBuf record(ByteBuf out, int bytes) {
    return out.writeByte(23).writeShort(0x0303).writeShort(bytes).writeZero(bytes);
  }

  /** The peer may still read: its socket stays open, and is read on. */
  @Test
  void shouldKeepNothingThatComesBehindTheEndOfThePeer() {
    halfClosable = true;
    addGate();
    carry(READ_BUFFER);
    client.writeOutbound(Unpooled.copiedBuffer("get k\r\n", US_ASCII));
    client.pipeline().get(SslHandler.class).closeOutbound();
    ByteBuf last = Unpooled.buffer(READ_BUFFER);
    for (ByteBuf out = client.readOutbound(); out != null; out = client.readOutbound()) {
      last.writeBytes(out);
      out.release();
    }
    server.writeInbound(record(last, 1_000).writeByte(23));
    assertThat(last.refCnt()).isZero();
    assertThat(buffered).isZero();
    for (int i = 0; i < 10; i++) {
      ByteBuf read = record(Unpooled.buffer(READ_BUFFER), 16_384);
      server.writeInbound(read);
      assertThat(read.refCnt()).isZero();
    }
    assertThat(records.heldBytes()).isZero();
    assertThat(buffered).isZero();
    assertThat(server.isOpen()).isTrue();

    server.writeOutbound(Unpooled.copiedBuffer("END\r\n", US_ASCII));
    carry(READ_BUFFER);
    assertThat(received).hasToString("get k\r\n");
    ByteBuf reply = client.readInbound();
    assertThat(reply.toString(US_ASCII)).isEqualTo("END\r\n");
    reply.release();
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
  }

  /** Begins a record, and lets time pass until the gate has looked at it so many times. */
  private void beginRecord(int looks) {
    carry(READ_BUFFER);
    ByteBuf record = record(Unpooled.buffer(READ_BUFFER), 16_384);
    server.writeInbound(record.writerIndex(record.writerIndex() - 1));
    looks(looks);
  }

  private void looks(int count) {
    for (int i = 0; i < count; i++) {
      server.advanceTimeBy(TlsGate.LOOK_SECONDS, TimeUnit.SECONDS);
      server.runScheduledPendingTasks();
    }
  }

  /** Each of thousands of clients may keep one. */
  @Test
  void shouldEndAClientThatStopsInsideARecordWhileMemoryIsShort() {
    server.freezeTime();
    addGate();
    beginRecord(3);
    assertThat(server.isOpen()).as("while there is memory").isTrue();
    memoryIsShort = true;
    server.config().setAutoRead(false);
    looks(3);
    assertThat(server.isOpen()).as("while it is not read").isTrue();
    server.config().setAutoRead(true);
    looks(1);
    assertThat(server.isOpen()).as("it may have been read just now").isTrue();
    looks(1);
    assertThatThrownBy(server::checkException)
        .isInstanceOf(TlsException.class)
        .hasMessage("TLS: a record stayed incomplete, and process.memory is nearly used up");
    assertThat(server.isOpen()).isFalse();
    server.finishAndReleaseAll();
    assertThat(buffered).isZero();
    client.finishAndReleaseAll();
  }

  /** Request objects take heap, of which a closed client frees none. */
  @Test
  void shouldEndAClientOnlyWhileTheBytesOfTheProcessAreMany() {
    server.freezeTime();
    MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
    Loop loop =
        new Loop(
            server.eventLoop(),
            UnpooledByteBufAllocator.DEFAULT,
            memory,
            new GatewayMetrics().newLoop());
    server.pipeline().addLast(TlsGate.ofClient(records, null, loop));
    memory.addObjects(memory.objectCeiling());
    beginRecord(4);
    assertThat(server.isOpen()).as("while there are many requests").isTrue();
    memory.addObjects(-memory.objectCeiling());
    loop.buffered(48 << 20);
    looks(2);
    assertThatThrownBy(server::checkException).isInstanceOf(TlsException.class);
    assertThat(server.isOpen()).isFalse();
    server.finishAndReleaseAll();
    assertThat(memory.total()).isEqualTo(48 << 20);
    client.finishAndReleaseAll();
    loop.close();
  }

  @Test
  void shouldLetAClientStayWhoseRecordsEnd() {
    server.freezeTime();
    addGate();
    memoryIsShort = true;
    carry(READ_BUFFER);
    String text = "x".repeat(10_000);
    for (int i = 0; i < 5; i++) {
      client.writeOutbound(Unpooled.copiedBuffer(text, US_ASCII));
      ByteBuf sent = client.readOutbound();
      server.writeInbound(Unpooled.buffer(READ_BUFFER).writeBytes(sent, 5_000));
      looks(1);
      server.writeInbound(Unpooled.buffer(READ_BUFFER).writeBytes(sent));
      sent.release();
    }
    looks(2);
    server.checkException();
    assertThat(server.isOpen()).isTrue();
    carry(READ_BUFFER);
    assertThat(received.toString()).isEqualTo(text.repeat(5));
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
  }

  @Test
  void shouldPassWhatIsNoTls() {
    ByteBuf read = Unpooled.buffer(READ_BUFFER).writeBytes("get k\r\n".getBytes(US_ASCII));
    try {
      server.writeInbound(read);
    } catch (Exception notTls) {
      assertThat(notTls).hasMessageContaining("not an SSL/TLS record");
    }
    assertThat(read.refCnt()).isZero();
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
  }
}
