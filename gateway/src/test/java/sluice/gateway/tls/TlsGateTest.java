package sluice.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TlsGateTest {
  private final List<String> failures = new ArrayList<>();
  private EmbeddedChannel channel;

  @BeforeEach
  void open() throws Exception {
    TlsRecords unused = new TlsRecords(SSLContext.getDefault().createSSLEngine(), 0);
    channel =
        new EmbeddedChannel(
            new TlsGate(delta -> {}, unused, null, null, null),
            new ChannelInboundHandlerAdapter() {
              @Override
              public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                failures.add(cause.getMessage());
              }
            });
  }

  private void handshakeFails(Throwable cause) {
    channel.pipeline().fireUserEventTriggered(new SslHandshakeCompletionEvent(cause));
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void shouldSayNothingOfAPeerThatLeaves() {
    handshakeFails(new ClosedChannelException());
    assertThat(failures).isEmpty();
  }

  /** Netty's TLS fails with this when the socket fails under it. */
  @Test
  void shouldSayNothingOfAPeerThatResetsTheConnection() {
    handshakeFails(
        new SSLException(
            "failure when writing TLS control frames",
            new IOException("Connection reset by peer")));
    assertThat(failures).isEmpty();
  }

  @Test
  void shouldSayWhenACertificateCannotBeRead() {
    handshakeFails(
        new SSLException("bad", new CertificateException("not DER", new IOException("too short"))));
    assertThat(failures).containsExactly("TLS: not DER");
  }

  @Test
  void shouldSayOnceWhyTlsFailed() {
    handshakeFails(new SSLException("Unsupported or unrecognized SSL message"));
    channel.pipeline().fireExceptionCaught(new SSLException("another"));
    assertThat(failures).containsExactly("TLS: Unsupported or unrecognized SSL message");
  }
}
