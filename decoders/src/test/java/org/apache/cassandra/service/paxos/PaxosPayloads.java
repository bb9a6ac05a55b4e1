package org.apache.cassandra.service.paxos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.EmptyIterators;
import org.apache.cassandra.db.ReadResponse;
import org.apache.cassandra.db.SinglePartitionReadCommand;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.gms.EndpointState;
import org.apache.cassandra.io.IVersionedSerializer;
import org.apache.cassandra.io.util.DataOutputBuffer;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.paxos.Commit.Accepted;
import org.apache.cassandra.service.paxos.Commit.Agreed;
import org.apache.cassandra.service.paxos.Commit.Committed;
import org.apache.cassandra.service.paxos.Paxos.Electorate;

/** Payloads of lightweight transactions, whose parts are visible from here only. */
public final class PaxosPayloads {
  private static final TableMetadata TABLE =
      TableMetadata.builder("ks", "t", TableId.fromString("f47ac10b-58cc-4372-a567-0e02b2c3d479"))
          .partitioner(Murmur3Partitioner.instance)
          .addPartitionKeyColumn("k", UTF8Type.instance)
          .addRegularColumn("i", Int32Type.instance)
          .addRegularColumn("v", BytesType.instance)
          .build();
  private static final DecoratedKey KEY =
      Murmur3Partitioner.instance.decorateKey(
          ByteBuffer.wrap("key".getBytes(StandardCharsets.UTF_8)));
  private static final Ballot BALLOT =
      Ballot.atUnixMicrosWithLsb(1_700_000_000_000_000L, 77, Ballot.Flag.GLOBAL);

  private PaxosPayloads() {}

  private static PartitionUpdate update(byte[] value) {
    if (value.length == 0) {
      return PartitionUpdate.emptyUpdate(TABLE, KEY);
    }
    Row.Builder row = BTreeRow.unsortedBuilder();
    row.newRow(Clustering.EMPTY);
    row.addCell(
        BufferCell.live(
            column("i"), 1_700_000_000_000_000L, ByteBuffer.allocate(4).putInt(0, 0x067F_0000)));
    row.addCell(BufferCell.live(column("v"), 1_700_000_000_000_000L, ByteBuffer.wrap(value)));
    return PartitionUpdate.singleRowUpdate(TABLE, KEY, row.build());
  }

  private static ColumnMetadata column(String name) {
    return TABLE.getColumn(ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8)));
  }

  private static SinglePartitionReadCommand read() {
    return SinglePartitionReadCommand.fullPartitionRead(TABLE, 1_700_000_000L, KEY);
  }

  /** PAXOS2_PREPARE_REQ. */
  public static byte[] prepare(
      List<InetAddressAndPort> natural,
      List<InetAddressAndPort> pending,
      boolean withRead,
      int version) {
    PaxosPrepare.Request request =
        new PaxosPrepare.Request(BALLOT, new Electorate(natural, pending), read(), true);
    return bytes(
        PaxosPrepare.requestSerializer, withRead ? request : request.withoutRead(), version);
  }

  /** PAXOS2_COMMIT_AND_PREPARE_REQ; an empty value is no row. */
  public static byte[] commitAndPrepare(
      byte[] value,
      List<InetAddressAndPort> natural,
      List<InetAddressAndPort> pending,
      boolean withRead,
      int version) {
    // PaxosCommitAndPrepare.RequestSerializer, whose request nobody else can make
    byte[] agreed = bytes(Agreed.serializer, new Agreed(BALLOT, update(value)), version);
    byte[] prepare = prepare(natural, pending, withRead, version);
    return ByteBuffer.allocate(agreed.length + prepare.length).put(agreed).put(prepare).array();
  }

  /** PAXOS2_PREPARE_RSP; an empty value is no row. */
  public static byte[] promise(
      byte[] value,
      boolean withAccepted,
      boolean withRead,
      Map<InetAddressAndPort, EndpointState> gossip,
      int version) {
    ReadResponse response =
        ReadResponse.createDigestResponse(EmptyIterators.unfilteredPartition(TABLE), read());
    PaxosPrepare.Response promise =
        new PaxosPrepare.Permitted(
            PaxosState.MaybePromise.Outcome.PROMISE,
            12345,
            withAccepted ? new Accepted(BALLOT, update(value)) : null,
            new Committed(BALLOT, update(value)),
            withRead ? response : null,
            true,
            new LinkedHashMap<>(gossip),
            null);
    return bytes(PaxosPrepare.responseSerializer, promise, version);
  }

  private static <T> byte[] bytes(IVersionedSerializer<T> serializer, T payload, int version) {
    try (DataOutputBuffer out = new DataOutputBuffer()) {
      serializer.serialize(payload, out, version);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
