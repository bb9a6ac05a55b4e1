package sluice.decoders;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.cassandra.config.Config;
import org.apache.cassandra.config.DataStorageSpec;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.gms.ApplicationState;
import org.apache.cassandra.gms.EndpointState;
import org.apache.cassandra.gms.Gossip;
import org.apache.cassandra.gms.GossipDigestSyn;
import org.apache.cassandra.gms.GossipShutdown;
import org.apache.cassandra.gms.HeartBeatState;
import org.apache.cassandra.gms.VersionedValue;
import org.apache.cassandra.io.util.DataInputBuffer;
import org.apache.cassandra.io.util.DataOutputBuffer;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.net.Message;
import org.apache.cassandra.net.ParamType;
import org.apache.cassandra.repair.RepairJobDesc;
import org.apache.cassandra.repair.messages.FinalizePromise;
import org.apache.cassandra.repair.messages.PrepareConsistentRequest;
import org.apache.cassandra.repair.messages.PrepareConsistentResponse;
import org.apache.cassandra.repair.messages.SyncRequest;
import org.apache.cassandra.repair.messages.SyncResponse;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.paxos.PaxosPayloads;
import org.apache.cassandra.streaming.PreviewKind;
import org.apache.cassandra.streaming.SessionSummary;
import org.apache.cassandra.streaming.StreamRequest;
import org.apache.cassandra.streaming.StreamSummary;
import org.apache.cassandra.streaming.messages.StreamMessageHeader;
import org.apache.cassandra.utils.MonotonicClock;
import org.apache.cassandra.utils.TimeUUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.codecs.internode.RecordedMessages;
import sluice.codecs.internode.address.AddressMap;
import sluice.codecs.internode.address.MessageRewriter;
import sluice.codecs.internode.address.Rewritten;
import sluice.codecs.internode.address.Rewritten.StreamRewriterCheck;
import sluice.names.Verb;

/**
 * Messages with replaced addresses are what Cassandra's own encoders write of the other addresses,
 * and its own decoders read them.
 */
class AddressesTest {
  private static final List<Integer> VERSIONS = List.of(12, 13);
  private static final TimeUUID ID = TimeUUID.Generator.atUnixMillis(1_700_000_000_000L);

  @BeforeAll
  static void initialize() {
    DatabaseDescriptor.clientInitialization(
        false,
        () -> {
          Config config = new Config();
          config.internode_max_message_size = new DataStorageSpec.IntBytesBound("128MiB");
          config.networking_cache_size = new DataStorageSpec.IntMebibytesBound("64MiB");
          return config;
        });
    DatabaseDescriptor.setPartitionerUnsafe(Murmur3Partitioner.instance);
  }

  /** What a message is, but for how its nodes are called. */
  record Case(
      org.apache.cassandra.net.Verb verb, Function<Nodes, Object> payload, boolean hasParams) {
    @Override
    public String toString() {
      return verb + (hasParams ? " with params" : "");
    }

    Message<Object> message(Nodes nodes) {
      Message.Builder<Object> builder =
          Message.builder(verb, payload.apply(nodes))
              .from(nodes.node(12))
              .withId(300)
              .withCreatedAt(MonotonicClock.Global.approxTime.now());
      return (hasParams ? builder.withParam(ParamType.RESPOND_TO, nodes.node(13)) : builder)
          .withExpiresAt(Long.MAX_VALUE >> 2)
          .build();
    }
  }

  /** Addresses of the recorded nodes, as they were or replaced. */
  record Nodes(AddressMap map) {
    InetAddress address(int node) {
      InetAddress old = Rewritten.address("127.0.0." + node);
      return map.entries().stream()
          .filter(entry -> entry.from().equals(old))
          .findFirst()
          .orElseThrow()
          .to();
    }

    InetAddressAndPort node(int node) {
      return InetAddressAndPort.getByAddressOverrideDefaults(address(node), 7000);
    }
  }

  private static EndpointState state(Nodes nodes, int node) {
    EndpointState state = new EndpointState(new HeartBeatState(5, 6));
    put(
        state,
        ApplicationState.valueOf("STATUS"),
        "BOOT_REPLACE," + nodes.address(node).getHostAddress());
    put(state, ApplicationState.LOAD, "127.0.0.12:7000"); // not where an address is
    put(state, ApplicationState.valueOf("INTERNAL_IP"), nodes.address(node).getHostAddress());
    put(state, ApplicationState.valueOf("RPC_ADDRESS"), nodes.address(node).getHostAddress());
    put(
        state,
        ApplicationState.INTERNAL_ADDRESS_AND_PORT,
        nodes.node(node).getHostAddressAndPort());
    put(
        state,
        ApplicationState.NATIVE_ADDRESS_AND_PORT,
        InetAddressAndPort.getByAddressOverrideDefaults(nodes.address(node), 9042)
            .getHostAddressAndPort());
    put(
        state,
        ApplicationState.STATUS_WITH_PORT,
        "BOOT_REPLACE," + nodes.node(node).getHostAddressAndPort());
    return state;
  }

  private static void put(EndpointState state, ApplicationState key, String value) {
    state.addApplicationState(key, VersionedValue.unsafeMakeVersionedValue(value, 9));
  }

  private static Map<InetAddressAndPort, EndpointState> states(Nodes nodes) {
    Map<InetAddressAndPort, EndpointState> states = new LinkedHashMap<>();
    states.put(nodes.node(13), state(nodes, 13));
    states.put(nodes.node(14), state(nodes, 3));
    return states;
  }

  private static List<Range<Token>> ranges() {
    return List.of(
        new Range<>(new LongToken(1), new LongToken(2)),
        new Range<>(new LongToken(0x067F_0000_0C1B_5800L), new LongToken(9)));
  }

  private static RepairJobDesc job() {
    return new RepairJobDesc(ID, ID, "keyspace", "table", ranges());
  }

  private static SessionSummary session(Nodes nodes) {
    StreamSummary summary =
        new StreamSummary(TableId.fromUUID(new UUID(0x067F_0000_0C1B_5800L, 1)), 3, 4000);
    return new SessionSummary(
        nodes.node(12), nodes.node(14), List.of(summary, summary), List.of(summary));
  }

  static Stream<Case> cases() {
    Map<org.apache.cassandra.net.Verb, Function<Nodes, Object>> payloads = new LinkedHashMap<>();
    payloads.put(
        org.apache.cassandra.net.Verb.GOSSIP_DIGEST_SYN,
        n ->
            new GossipDigestSyn(
                "cluster", "partitioner", List.of(Gossip.digest(n.node(12), 1, 2))));
    payloads.put(
        org.apache.cassandra.net.Verb.GOSSIP_DIGEST_ACK,
        n ->
            Gossip.ack(
                List.of(Gossip.digest(n.node(12), 1, 2), Gossip.digest(n.node(2), 3, 4)),
                states(n)));
    payloads.put(org.apache.cassandra.net.Verb.GOSSIP_DIGEST_ACK2, n -> Gossip.ack2(states(n)));
    payloads.put(
        org.apache.cassandra.net.Verb.GOSSIP_SHUTDOWN, n -> new GossipShutdown(state(n, 12)));
    payloads.put(
        org.apache.cassandra.net.Verb.SYNC_REQ,
        n ->
            new SyncRequest(
                job(), n.node(12), n.node(13), n.node(14), ranges(), PreviewKind.NONE, true));
    payloads.put(
        org.apache.cassandra.net.Verb.SYNC_RSP,
        n ->
            new SyncResponse(job(), n.node(12), n.node(13), true, List.of(session(n), session(n))));
    payloads.put(
        org.apache.cassandra.net.Verb.PREPARE_CONSISTENT_REQ,
        n ->
            new PrepareConsistentRequest(ID, n.node(12), new LinkedHashSet<>(List.of(n.node(13)))));
    payloads.put(
        org.apache.cassandra.net.Verb.PREPARE_CONSISTENT_RSP,
        n -> new PrepareConsistentResponse(ID, n.node(13), true));
    payloads.put(
        org.apache.cassandra.net.Verb.FINALIZE_PROMISE_MSG,
        n -> new FinalizePromise(ID, n.node(14), false));
    return payloads.entrySet().stream()
        .flatMap(
            e ->
                Stream.of(
                    new Case(e.getKey(), e.getValue(), false),
                    new Case(e.getKey(), e.getValue(), true)));
  }

  private static byte[] encode(Message<?> message, int version) {
    try (DataOutputBuffer out = new DataOutputBuffer()) {
      Message.serializer.serialize(message, out, version);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Message<?> decode(byte[] bytes, int version) {
    DataInputBuffer in = new DataInputBuffer(ByteBuffer.wrap(bytes), false);
    try {
      Message<?> message =
          Message.serializer.deserialize(in, InetAddressAndPort.getLoopbackAddress(), version);
      assertThat(in.available()).isZero();
      return message;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void shouldBeWhatCassandraWritesOfTheOtherAddresses(Case message) {
    for (int version : VERSIONS) {
      byte[] before = encode(message.message(new Nodes(Rewritten.IDENTITY)), version);
      for (AddressMap map : List.of(Rewritten.IPV4, Rewritten.IPV6)) {
        MessageRewriter rewriter = new MessageRewriter(map, version);
        byte[] there = Rewritten.message(rewriter, before);
        byte[] expected = encode(message.message(new Nodes(map)), version);
        // The clock went on between the two: not the two fields that tell when.
        System.arraycopy(before, 2, expected, 2, 4);
        assertThat(withoutTimes(there)).isEqualTo(withoutTimes(expected));
        assertThat(rewriter.unparsed()).isZero();
        Message<?> decoded = decode(there, version);
        if (message.hasParams()) {
          assertThat(decoded.respondTo()).isEqualTo(new Nodes(map).node(13));
        }
        Object payload = message.payload().apply(new Nodes(map));
        if (!message.verb().name().startsWith("GOSSIP")) {
          assertThat(decoded.payload).isEqualTo(payload);
        } else if (!(payload instanceof GossipShutdown) || version > 12) {
          assertThat(Gossip.text(decoded.payload)).isEqualTo(Gossip.text(payload));
        }
      }
    }
  }

  /** All but createdAt and expiresAfter, which lie behind an id of two bytes. */
  private static byte[] withoutTimes(byte[] message) {
    int expires = 6;
    int length = Integer.numberOfLeadingZeros(~message[expires] & 0xFF) - 23;
    return Arrays.copyOfRange(message, expires + length, message.length);
  }

  private static final Pattern NODE = Pattern.compile("127\\.0\\.0\\.(2|3|4|12|13|14)(?!\\d)");

  @Test
  void shouldStillBeReadWhenAddressesOfRecordedMessagesAreReplaced() {
    int gossip = 0;
    for (RecordedMessages.Recorded message : RecordedMessages.all()) {
      if (!VERSIONS.contains(message.version())
          || !message.verb().label().startsWith("GOSSIP_DIGEST")
          || message.name().startsWith("synthetic")) {
        continue;
      }
      gossip++;
      String before = Gossip.text(decode(message.bytes(), message.version()).payload);
      Matcher nodes = NODE.matcher(before);
      byte[] there = Rewritten.message(Rewritten.IPV4, message.version(), message.bytes());
      String after = Gossip.text(decode(there, message.version()).payload);
      assertThat(after)
          .as(message.name())
          .isEqualTo(
              nodes.replaceAll(r -> "198.51.100.2%02d".formatted(Integer.parseInt(r.group(1)))));
      there = Rewritten.message(Rewritten.IPV6, message.version(), message.bytes());
      after = Gossip.text(decode(there, message.version()).payload);
      assertThat(NODE.matcher(after).find()).as(message.name()).isFalse();
    }
    assertThat(gossip).isGreaterThan(1500);
  }

  private static byte[] streamed(String name) {
    RecordedMessages.RecordedStream stream =
        RecordedMessages.streaming().stream()
            .filter(s -> s.name().contains(name))
            .findFirst()
            .orElseThrow();
    return Rewritten.stream(
        new StreamRewriterCheck(
            Rewritten.IPV6, stream.version(), r -> assertThat(r.isLost()).isFalse()),
        stream.bytes(),
        64);
  }

  @Test
  void shouldReadWhoIsAskedForWhatInAStream() throws IOException {
    byte[] control = streamed("rebuild-control-b2a.c2s");
    try (DataInputBuffer in = new DataInputBuffer(control)) {
      assertThat(in.readByte()).isEqualTo((byte) 10);
      InetAddressAndPort from =
          InetAddressAndPort.Serializer.inetAddressAndPortSerializer.deserialize(in, 12);
      assertThat(from).isEqualTo(new Nodes(Rewritten.IPV6).node(13));
      in.skipBytesFully(4 + 16);
      assertThat(in.readUTF()).isEqualTo("Rebuild");
      assertThat(in.readBoolean()).isFalse();
      in.skipBytesFully(4);
      assertThat(in.readByte()).isEqualTo((byte) 1);
      assertThat(in.readInt()).isEqualTo(1);
      StreamRequest request = StreamRequest.serializer.deserialize(in, 12);
      assertThat(request.keyspace).isEqualTo("lab");
      assertThat(request.full.endpoint()).isEqualTo(from);
      assertThat(request.full.size()).isEqualTo(8);
      assertThat(in.readInt()).isZero();
      assertThat(in.readByte()).isEqualTo((byte) 9);
    }
  }

  @Test
  void shouldReadWhoSendsAFile() throws IOException {
    try (DataInputBuffer in = new DataInputBuffer(streamed("rebuild-file-a2b.c2s"))) {
      assertThat(in.readByte()).isEqualTo((byte) 2);
      StreamMessageHeader header = StreamMessageHeader.serializer.deserialize(in, 12);
      assertThat(header.sender).isEqualTo(new Nodes(Rewritten.IPV6).node(12));
      assertThat(in.readUTF()).isEqualTo("nb");
    }
  }

  /** Values that hold a mapped address, alone and as lists of them. */
  private static List<byte[]> values() {
    byte[] address = {6, 127, 0, 0, 13, 0x1B, 0x58};
    byte[] electorate = {1, 6, 127, 0, 0, 13, 0x1B, 0x58, 0, 1};
    byte[] many = new byte[7 * 300];
    for (int i = 0; i < many.length; i++) {
      many[i] = address[i % 7];
    }
    return List.of(new byte[0], address, electorate, many);
  }

  private static byte[] message(Verb verb, int version, byte[] payload) {
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(version).id(9).verb(verb.id()).write(out, payload.length);
    return ByteBufUtil.getBytes(out.writeBytes(payload));
  }

  private static void shouldBecome(Verb verb, int version, Function<Nodes, byte[]> payload) {
    byte[] before = message(verb, version, payload.apply(new Nodes(Rewritten.IDENTITY)));
    for (AddressMap map : List.of(Rewritten.IPV4, Rewritten.IPV6)) {
      MessageRewriter rewriter = new MessageRewriter(map, version);
      assertThat(Rewritten.message(rewriter, before))
          .isEqualTo(message(verb, version, payload.apply(new Nodes(map))));
      assertThat(rewriter.unparsed()).isZero();
    }
  }

  @Test
  void shouldReplaceTheElectorateOfALightweightTransactionAndLeaveItsValues() {
    for (int version : VERSIONS) {
      for (boolean read : new boolean[] {true, false}) {
        shouldBecome(
            Verb.PAXOS2_PREPARE_REQ,
            version,
            n ->
                PaxosPayloads.prepare(
                    List.of(n.node(12), n.node(13)), List.of(n.node(14)), read, version));
        for (byte[] value : values()) {
          shouldBecome(
              Verb.PAXOS2_COMMIT_AND_PREPARE_REQ,
              version,
              n ->
                  PaxosPayloads.commitAndPrepare(
                      value, List.of(n.node(12), n.node(13)), List.of(), read, version));
        }
      }
    }
  }

  @Test
  void shouldReplaceWhoVotesInAnAnswerAndLeaveItsValues() {
    for (int version : VERSIONS) {
      for (byte[] value : values()) {
        for (int i = 0; i < 4; i++) {
          boolean accepted = (i & 1) != 0;
          boolean read = (i & 2) != 0;
          shouldBecome(
              Verb.PAXOS2_PREPARE_RSP,
              version,
              n -> PaxosPayloads.promise(value, accepted, read, states(n), version));
          shouldBecome(
              Verb.PAXOS2_PREPARE_RSP,
              version,
              n -> PaxosPayloads.promise(value, accepted, read, Map.of(), version));
        }
      }
    }
  }

  /** A verb of ours that Cassandra numbers otherwise would be rewritten for another. */
  @Test
  void shouldNumberVerbsAsCassandraDoes() {
    for (org.apache.cassandra.net.Verb verb : org.apache.cassandra.net.Verb.values()) {
      if (!verb.name().startsWith("_") && Verb.named(verb.name()) != null) {
        assertThat(Verb.of(verb.id).label()).isEqualTo(verb.name());
      }
    }
  }
}
