package sluice.gateway.discover;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsOpCode;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A name server of a test's own, on a loopback port: it knows what it is told, and no more. */
final class TestNameServer implements AutoCloseable {
  /** How it answers. */
  enum Mood {
    HELPFUL,
    /** Says that it cannot. */
    FAILING,
    /** Refuses to answer. */
    REFUSING,
    /** Says that the question is malformed. */
    CONFUSED,
    SILENT
  }

  private record Key(String name, DnsRecordType type) {}

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel channel;
  private final Map<Key, List<byte[]>> records = new ConcurrentHashMap<>();
  private final Map<DnsRecordType, Mood> moods = new ConcurrentHashMap<>();
  private final AtomicInteger asked = new AtomicInteger();

  TestNameServer() {
    channel =
        new Bootstrap()
            .group(group)
            .channel(NioDatagramChannel.class)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel created) {
                    created
                        .pipeline()
                        .addLast(
                            new DatagramDnsQueryDecoder(),
                            new DatagramDnsResponseEncoder(),
                            new Answers());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  /** {@code 127.0.0.1:PORT}. */
  String address() {
    return "127.0.0.1:" + ((InetSocketAddress) channel.localAddress()).getPort();
  }

  int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  /** How often it was asked, whatever it answered. */
  int asked() {
    return asked.get();
  }

  /** The addresses of a name from now on, of both kinds. */
  void addresses(String name, String... addresses) {
    List<byte[]> four = new ArrayList<>();
    List<byte[]> six = new ArrayList<>();
    for (String address : addresses) {
      byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
      (bytes.length == 4 ? four : six).add(bytes);
    }
    put(name, DnsRecordType.A, four);
    put(name, DnsRecordType.AAAA, six);
  }

  /** The services behind a name from now on: {@code PRIORITY WEIGHT PORT TARGET}. */
  void services(String name, String... services) {
    List<byte[]> all = new ArrayList<>();
    for (String service : services) {
      String[] parts = service.split(" ");
      ByteBuf data = Unpooled.buffer();
      for (int i = 0; i < 3; i++) {
        data.writeShort(Integer.parseInt(parts[i]));
      }
      for (String label : parts[3].split("\\.")) {
        if (!label.isEmpty()) {
          byte[] bytes = label.getBytes(StandardCharsets.US_ASCII);
          data.writeByte(bytes.length).writeBytes(bytes);
        }
      }
      data.writeByte(0);
      byte[] bytes = new byte[data.readableBytes()];
      data.readBytes(bytes);
      all.add(bytes);
    }
    put(name, DnsRecordType.SRV, all);
  }

  /** Records of any bytes. */
  void put(String name, DnsRecordType type, List<byte[]> data) {
    records.put(new Key(name.toLowerCase(Locale.ROOT) + ".", type), data);
  }

  /** For questions of a type from now on. */
  void mood(DnsRecordType type, Mood mood) {
    moods.put(type, mood);
  }

  /** For all questions that matter from now on. */
  void mood(Mood mood) {
    List.of(DnsRecordType.A, DnsRecordType.AAAA, DnsRecordType.SRV).forEach(t -> mood(t, mood));
  }

  private final class Answers extends SimpleChannelInboundHandler<DatagramDnsQuery> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, DatagramDnsQuery query) {
      asked.incrementAndGet();
      DnsQuestion question = query.recordAt(DnsSection.QUESTION);
      Mood mood = moods.getOrDefault(question.type(), Mood.HELPFUL);
      if (mood == Mood.SILENT) {
        return;
      }
      DatagramDnsResponse response =
          new DatagramDnsResponse(query.recipient(), query.sender(), query.id(), DnsOpCode.QUERY);
      response.addRecord(
          DnsSection.QUESTION, new DefaultDnsQuestion(question.name(), question.type()));
      String name = question.name().toLowerCase(Locale.ROOT);
      List<byte[]> known = records.get(new Key(name, question.type()));
      if (mood == Mood.FAILING) {
        response.setCode(DnsResponseCode.SERVFAIL);
      } else if (mood == Mood.REFUSING) {
        response.setCode(DnsResponseCode.REFUSED);
      } else if (mood == Mood.CONFUSED) {
        response.setCode(DnsResponseCode.FORMERR);
      } else if (known != null) {
        known.forEach(
            data ->
                response.addRecord(
                    DnsSection.ANSWER,
                    new DefaultDnsRawRecord(
                        question.name(), question.type(), 30, Unpooled.wrappedBuffer(data))));
      } else if (records.keySet().stream().noneMatch(key -> key.name().equals(name))) {
        response.setCode(DnsResponseCode.NXDOMAIN);
      }
      ctx.writeAndFlush(response);
    }
  }

  @Override
  public void close() {
    channel.close().syncUninterruptibly();
    group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
  }
}
