package sluice.codecs.internode.address;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.NodeAddress;
import sluice.codecs.internode.RecordedMessages;

/** Which address is replaced by which. */
class AddressMapTest {
  private static final AddressMap MAP =
      AddressMap.of(
          List.of(
              Rewritten.anyPort("10.0.0.1", "10.9.9.1"),
              Rewritten.entry("10.0.0.2", 7000, "10.9.9.2", 17000),
              Rewritten.entry("10.0.0.2", 7001, "2001:db8::2", 17001),
              Rewritten.anyPort("2001:db8::3", "10.9.9.3"),
              Rewritten.entry("2001:db8::4", 7000, "2001:db8::44", 65535)));

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1,7000, 10.9.9.1,7000",
    "10.0.0.1,65535, 10.9.9.1,65535",
    "10.0.0.2,7000, 10.9.9.2,17000",
    "10.0.0.2,7001, 2001:db8::2,17001",
    "10.0.0.2,7002, 10.0.0.2,7002",
    "2001:db8::3,1, 10.9.9.3,1",
    "2001:db8::4,7000, 2001:db8::44,65535",
    "2001:db8::4,7001, 2001:db8::4,7001",
    "10.9.9.1,7000, 10.9.9.1,7000",
    "0.0.0.1,7000, 0.0.0.1,7000",
  })
  void shouldReplaceAnAddressInItsPlace(String from, int fromPort, String to, int toPort) {
    ByteBuf in = Unpooled.buffer().writeByte(99);
    NodeAddress.write(in, new InetSocketAddress(Rewritten.address(from), fromPort));
    ByteBuf out = Unpooled.buffer();
    int entry = MAP.find(in, 1);
    if (entry == AddressMap.NONE) {
      out.writeBytes(in, 1, in.readableBytes() - 1);
    } else {
      MAP.write(entry, AddressMap.port(in, 1), out);
      assertThat(MAP.inverse().find(out, 0)).isEqualTo(entry);
    }
    ByteBuf expected = Unpooled.buffer();
    NodeAddress.write(expected, new InetSocketAddress(Rewritten.address(to), toPort));
    assertThat(out).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.9.9.1",
    "10.0.0.1:9042, 10.9.9.1:9042",
    "10.0.0.2:7000, 10.9.9.2:17000",
    "10.0.0.2:7001, [2001:db8:0:0:0:0:0:2]:17001",
    "10.0.0.2:7002, ''", // nobody's
    "10.0.0.2, ''", // of two nodes
    "2001:db8:0:0:0:0:0:3, 10.9.9.3",
    "[2001:db8:0:0:0:0:0:3]:8, 10.9.9.3:8",
    "2001:db8:0:0:0:0:0:4, 2001:db8:0:0:0:0:0:44",
    "[2001:db8:0:0:0:0:0:4]:7000, [2001:db8:0:0:0:0:0:44]:65535",
    "10.0.0.1:, ''",
    "10.0.0.1:65536, ''",
    "10.0.0.1:9x, ''",
    "10.0.0.11, ''",
    "[2001:db8:0:0:0:0:0:3], ''",
    "[2001:db8:0:0:0:0:0:3:8, ''",
    "[]:1, ''",
    ":, ''",
  })
  void shouldReplaceAnAddressThatIsWrittenOut(String from, String to) {
    ByteBuf in = Unpooled.wrappedBuffer(("x" + from + "yy").getBytes(US_ASCII));
    TextAddress text = new TextAddress();
    ByteBuf out = Unpooled.buffer();
    int entry = text.wrap(in, 1, in.readableBytes() - 2) ? MAP.find(text) : AddressMap.NONE;
    if (entry != AddressMap.NONE) {
      MAP.write(entry, text, out);
    }
    assertThat(out.toString(US_ASCII)).isEqualTo(to);
  }

  @Test
  void shouldRefuseWhatIsNotOneToOne() {
    assertThatThrownBy(() -> Rewritten.entry("10.0.0.1", 7000, "10.0.0.2", AddressMap.ANY_PORT))
        .hasMessageContaining("not one to one");
    assertThatThrownBy(() -> Rewritten.entry("10.0.0.1", 70000, "10.0.0.2", 1))
        .hasMessageContaining("expected 0 to 65535");
    List<AddressMap.Entry> twice =
        List.of(
            Rewritten.anyPort("10.0.0.1", "10.9.9.1"),
            Rewritten.entry("10.0.0.1", 7000, "10.9.9.2", 7000));
    assertThatThrownBy(() -> AddressMap.of(twice)).hasMessageContaining("replaced twice");
    List<AddressMap.Entry> same =
        List.of(
            Rewritten.anyPort("10.0.0.1", "10.9.9.1"),
            Rewritten.entry("10.0.0.2", 7000, "10.9.9.1", 7000));
    assertThatThrownBy(() -> AddressMap.of(same)).hasMessageContaining("replaces two addresses");
  }

  @Test
  void shouldFindEachOfMany() {
    List<AddressMap.Entry> entries = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      entries.add(
          Rewritten.anyPort(
              "10.0.%d.%d".formatted(i / 250, i % 250), "2001:db8::%x".formatted(i + 1)));
    }
    AddressMap map = AddressMap.of(entries);
    assertThat(map.entries()).isEqualTo(entries);
    for (int i = 0; i < 1000; i++) {
      ByteBuf in = Unpooled.buffer();
      NodeAddress.write(in, new InetSocketAddress(entries.get(i).from(), i));
      assertThat(map.find(in, 0)).isEqualTo(i);
    }
  }

  /** What comes out is what Cassandra's own encoder writes for the other address. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "handshake/handshake-initiate-v12to12-small-crc-ipv4.bin",
        "handshake/handshake-initiate-v12to12-small-crc-ipv6.bin",
        "handshake/handshake-initiate-v12to14-streaming-unprotected-ipv4.bin",
        "handshake/handshake-initiate-4.x-v10to12-large-lz4-ipv4.bin",
        "handshake/handshake-initiate-v12to13-large-lz4-ipv6.bin"
      })
  void shouldReplaceTheInitiator(String file) {
    ByteBuf in = Unpooled.wrappedBuffer(RecordedMessages.bytes(file));
    Initiate initiate = new Initiate().wrap(in, 0);
    InetSocketAddress from = initiate.from();
    for (String to : new String[] {"192.0.2.7", "2001:db8::7"}) {
      AddressMap map =
          AddressMap.of(List.of(Rewritten.anyPort(from.getAddress().getHostAddress(), to)));
      ByteBuf out = Unpooled.buffer().writeInt(0);
      assertThat(map.writeInitiate(initiate, in, out)).isTrue();
      Initiate there = new Initiate().wrap(out, 4); // checks the CRC32
      assertThat(there.from())
          .isEqualTo(new InetSocketAddress(Rewritten.address(to), from.getPort()));
      assertThat(there.length()).isEqualTo(out.readableBytes() - 4);
      ByteBuf back = Unpooled.buffer();
      assertThat(map.inverse().writeInitiate(there, out, back)).isTrue();
      assertThat(back).isEqualTo(in);
      back.clear();
      assertThat(MAP.writeInitiate(initiate, in, back)).isFalse();
      assertThat(back).isEqualTo(in);
    }
  }
}
