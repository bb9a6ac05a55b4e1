package sluice.perf.internode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.FrameCrc32;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.gateway.cli.CommandLines;
import sluice.names.Verb;

/** A recording of a few frames, as {@code perf/wan} writes them. */
class ReplayTest {
  private static final int VERSION = 12;
  private static final int MARK = -1;
  private static final int MESSAGES = 3;
  private static final int PAYLOAD = 600;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @TempDir private Path directory;

  private int replay(String... arguments) {
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      return Replay.run(out, arguments);
    }
  }

  private String said() {
    return said.toString(UTF_8);
  }

  @Test
  void shouldCompressFramesApartAndJoined() throws IOException {
    ByteBuf frames = frames();
    int length = frames.readableBytes();
    Path file = directory.resolve("recording");
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
      write(out, MARK, Unpooled.copiedBuffer("rows", UTF_8));
      write(out, 1, initiate(Framing.CRC));
      write(out, 2, initiate(Framing.LZ4)); // is compressed already, so it is left out
      write(out, 2, Unpooled.copiedBuffer("anything", UTF_8));
      write(out, 1, frames);
      write(out, MARK, Unpooled.EMPTY_BUFFER);
    }
    assertThat(replay(file.toString())).as(said()).isEqualTo(CommandLines.FINE);
    Matcher line =
        Pattern.compile(
                "replay=rows messages=3 bytes="
                    + length
                    + " apart=(\\d+) apart_frames=3 apart_us=[\\d.]+"
                    + " joined=(\\d+) joined_frames=1 joined_us=[\\d.]+\n")
            .matcher(said());
    assertThat(line.matches()).as(said()).isTrue();
    int apart = Integer.parseInt(line.group(1));
    assertThat(apart).isLessThan(length);
    assertThat(Integer.parseInt(line.group(2))).isLessThan(apart);
  }

  private static void write(DataOutputStream out, int connection, ByteBuf read) throws IOException {
    out.writeInt(connection);
    out.writeInt(read.readableBytes());
    out.write(ByteBufUtil.getBytes(read));
  }

  private static ByteBuf initiate(Framing framing) {
    ByteBuf initiate = Unpooled.buffer();
    InetSocketAddress from = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000);
    Initiate.writeMessaging(
        initiate, ConnectionType.SMALL, framing, VERSION, VERSION, VERSION, from);
    return initiate;
  }

  private static ByteBuf frames() {
    ByteBuf frames = Unpooled.buffer();
    MessageHeaderWriter header = new MessageHeaderWriter(VERSION);
    for (int id = 1; id <= MESSAGES; id++) {
      int frame = frames.writerIndex();
      int payload = frame + Framing.CRC.headerLength();
      frames.writeZero(Framing.CRC.headerLength());
      header.id(id).createdAt(1).expiresAfterMillis(2000).verb(verb()).flags(0);
      header.write(frames, PAYLOAD);
      frames.writeZero(PAYLOAD);
      int length = frames.writerIndex() - payload;
      Frame.setHeader(frames, frame, Framing.CRC, length, 0, true);
      frames.writeIntLE(new FrameCrc32().of(frames, payload, length));
    }
    return frames;
  }

  private static int verb() {
    return Verb.named("MUTATION_REQ").id();
  }

  @Test
  void shouldNameAFileThatIsNotThere() {
    assertThat(replay("/nowhere")).isEqualTo(CommandLines.FAILED);
    assertThat(said()).isEqualTo("Replay: /nowhere: no such file or directory\n");
  }

  @Test
  void shouldSayHowItIsUsed() {
    assertThat(replay()).isEqualTo(CommandLines.WRONG);
    assertThat(replay("one", "two")).isEqualTo(CommandLines.WRONG);
    assertThat(replay("--joined", "one")).isEqualTo(CommandLines.WRONG);
    assertThat(said())
        .isEqualTo(
            """
            Replay: found Replay, expected Replay FILE
            Replay: found Replay one two, expected Replay FILE
            Replay: found Replay --joined one, expected Replay FILE
            """);
    assertThat(replay("--help")).isEqualTo(CommandLines.FINE);
    assertThat(said()).contains("usage: Replay FILE\n");
  }
}
