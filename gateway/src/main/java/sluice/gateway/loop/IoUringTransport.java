package sluice.gateway.loop;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringBufferRingConfig;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringFixedBufferRingAllocator;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.transport.Transport;

/**
 * Vert.x transport on io_uring whose sockets share a ring of read buffers per event loop. Vert.x's
 * own transport for io_uring asks the kernel twice for each read, and has no Unix sockets.
 *
 * <p>The kernel takes a buffer of the ring when bytes arrive, so an idle connection needs no read
 * buffer. Since Linux 6.12, the kernel fills a buffer with the bytes of many sockets, one after the
 * other:
 *
 * <pre>
 *  buffer of the ring, 64 KiB
 * +-------------+----------+---------------------+---------- - - - -----+
 * | of client 7 | client 2 | of server 1         | free                 |
 * +-------------+----------+---------------------+---------- - - - -----+
 * </pre>
 *
 * <p>A connection that keeps part of such a buffer keeps all of it ({@link Loop#isSmallPartOf}). A
 * used buffer is replaced at once, so kept buffers never leave the ring empty.
 *
 * <p>Each receive operation reads once. After the ring was empty, Netty 4.2.18 restarts operations
 * that read many times, even if the connection is paused. If such operations are enabled, there is
 * no ring.
 */
public final class IoUringTransport implements Transport {
  /** The group of buffers that all sockets of an event loop read into. */
  private static final short GROUP = 1;

  /** Operations that an event loop can begin with one system call. */
  private static final int OPERATIONS = 1024;

  private static final int SHARED_BUFFERS = 32;
  private static final int SHARED_BYTES = 64 * 1024;

  /** Before Linux 6.12, each read takes a buffer of its own, and many clients may send at once. */
  private static final int SINGLE_BUFFERS = 256;

  private static final int SINGLE_BYTES = 16 * 1024;

  /** Whether a receive operation reads many times. Netty looks at it once. */
  private static final String RECEIVES = "io.netty.iouring.recvMultiShotEnabled";

  /**
   * The same for accept operations. The kernel would accept thousands of connections before Netty
   * could stop one ({@link AcceptingHandler}).
   */
  private static final String ACCEPTS = "io.netty.iouring.acceptMultiShotEnabled";

  static {
    disable(RECEIVES);
    disable(ACCEPTS);
  }

  private static void disable(String unlessSet) {
    if (System.getProperty(unlessSet) == null) {
      System.setProperty(unlessSet, "false");
    }
  }

  private static final Transport TCP = Transport.IO_URING;

  /** Whether a channel is a socket of io_uring. */
  public static boolean has(Channel channel) {
    return channel instanceof IoUringSocketChannel || channel instanceof IoUringDomainSocketChannel;
  }

  @Override
  public String name() {
    return TCP.name();
  }

  @Override
  public boolean available() {
    return IoUring.isAvailable();
  }

  @Override
  public Throwable unavailabilityCause() {
    return IoUring.unavailabilityCause();
  }

  @Override
  public io.vertx.core.spi.transport.Transport implementation() {
    return new Implementation(
        TCP.implementation(),
        IoUring.isRegisterBufferRingSupported() && !IoUring.isRecvMultishotEnabled());
  }

  private static final class Implementation extends ForwardingTransport {
    private final boolean ring;

    /**
     * @param tcp Vert.x's own, for TCP
     * @param ring whether there is a ring; the kernel has had them since Linux 5.19
     */
    Implementation(io.vertx.core.spi.transport.Transport tcp, boolean ring) {
      super(tcp);
      this.ring = ring;
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
      IoUringIoHandlerConfig config = new IoUringIoHandlerConfig().setRingSize(OPERATIONS);
      if (ring) {
        config.setBufferRingConfig(buffers());
      }
      return IoUringIoHandler.newFactory(config);
    }

    private static IoUringBufferRingConfig buffers() {
      boolean shared = IoUring.isRegisterBufferRingIncSupported();
      int count = shared ? SHARED_BUFFERS : SINGLE_BUFFERS;
      return IoUringBufferRingConfig.builder()
          .bufferGroupId(GROUP)
          .bufferRingSize((short) count)
          .batchSize(count)
          .incremental(shared)
          // The slices of this allocator's buffers are reused.
          .allocator(
              new IoUringFixedBufferRingAllocator(
                  PooledByteBufAllocator.DEFAULT, shared ? SHARED_BYTES : SINGLE_BYTES))
          .build();
    }

    @Override
    public boolean supportsDomainSockets() {
      return true;
    }

    /**
     * Netty supports them here, which Vert.x does not know. Without this, Vert.x puts a handler in
     * front of all others, which flushes by itself when a socket becomes writable again.
     */
    @Override
    public boolean supportFileRegion() {
      return true;
    }

    @Override
    public java.net.SocketAddress convert(SocketAddress address) {
      return address.isDomainSocket()
          ? new DomainSocketAddress(address.path())
          : transport.convert(address);
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
      return domainSocket ? IoUringDomainSocketChannel::new : transport.channelFactory(false);
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
      return domainSocket
          ? IoUringServerDomainSocketChannel::new
          : transport.serverChannelFactory(false);
    }

    @Override
    public void configure(
        ClientOptionsBase options, int connectTimeout, boolean domainSocket, Bootstrap bootstrap) {
      if (ring) {
        bootstrap.option(IoUringChannelOption.IO_URING_BUFFER_GROUP_ID, GROUP);
      }
      if (domainSocket) {
        configureUnix(options, connectTimeout, bootstrap);
      } else {
        transport.configure(options, connectTimeout, false, bootstrap);
      }
    }

    @Override
    public void configure(
        NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
      if (ring) {
        bootstrap.childOption(IoUringChannelOption.IO_URING_BUFFER_GROUP_ID, GROUP);
      }
      if (domainSocket) {
        configureUnix(options, bootstrap);
      } else {
        transport.configure(options, false, bootstrap);
      }
    }
  }
}
