package sluice.gateway.differential;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A client's connection, written to in pieces while it is read: one that only wrote could end in a
 * standstill with a server that waits for its replies to be read.
 */
final class Wire implements Closeable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final Dialect dialect;
  private final SocketChannel channel;
  private final Inbox inbox;
  private final List<Unit> units = new ArrayList<>();
  private ByteBuffer out = ByteBuffer.allocate(0);
  private Random cuts;
  private int pieceEnd;
  private int piecesLeft;
  private long pauseUntil = System.nanoTime();
  private int fences;
  private boolean closes;
  private boolean ended;
  private SelectionKey selection;

  Wire(Dialect dialect, InetSocketAddress address) throws IOException {
    this.dialect = dialect;
    inbox = new Inbox(dialect);
    channel = SocketChannel.open(address);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
  }

  /** Moves bytes until every wire has heard all, or none hears any more. */
  static void pending(Selector selector, Wire... wires) throws IOException {
    for (Wire wire : wires) {
      wire.selection = wire.channel.register(selector, SelectionKey.OP_READ);
    }
    long lastProgress = System.nanoTime();
    while (!Arrays.stream(wires).allMatch(Wire::isDone)) {
      long now = System.nanoTime();
      boolean moved = false;
      for (Wire wire : wires) {
        moved |= wire.step(now);
      }
      if (moved) {
        lastProgress = now;
      } else if (now - lastProgress > PATIENCE_NANOS) {
        return; // what is missing is a difference
      } else if (Arrays.stream(wires).anyMatch(wire -> now - wire.pauseUntil < 0)) {
        Thread.onSpinWait(); // a selector's shortest wait would be a longer pause
      } else {
        selector.select(1);
        selector.selectedKeys().clear();
      }
    }
  }

  /** Sends a batch that ends in a fence with this number of fences in all, or is closed. */
  void send(byte[] bytes, int fencesInAll, boolean closedThen, Random dice) {
    units.clear();
    out = ByteBuffer.wrap(bytes);
    fences = fencesInAll;
    closes = closedThen;
    cuts = dice;
    piecesLeft = dice.nextInt(3) > 0 ? 0 : 1 + dice.nextInt(5);
    nextPiece(System.nanoTime());
  }

  private void nextPiece(long now) {
    boolean last = piecesLeft-- <= 0 || out.remaining() < 2;
    pieceEnd = last ? out.limit() : out.position() + 1 + cuts.nextInt(out.remaining() - 1);
    pauseUntil = now + (last ? 0 : TimeUnit.MICROSECONDS.toNanos(cuts.nextInt(400)));
  }

  private boolean step(long now) throws IOException {
    boolean moved = false;
    try {
      if (out.hasRemaining() && now - pauseUntil >= 0 && !ended) {
        ByteBuffer piece = out.duplicate().limit(pieceEnd);
        int written = write(piece);
        out.position(piece.position());
        moved = written > 0;
        if (!piece.hasRemaining() && out.hasRemaining()) {
          nextPiece(now);
        }
        selection.interestOps(
            piece.hasRemaining()
                ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                : SelectionKey.OP_READ);
      }
      int read = ended ? 0 : channel.read(inbox.room().duplicate());
      ended |= read < 0;
      inbox.filled(Math.max(read, 0));
      moved |= read != 0;
    } catch (IOException e) { // a reset: closed with bytes of ours unread
      ended = true;
      moved = true;
    }
    if (ended) {
      selection.interestOps(0);
    }
    for (Unit unit = inbox.next(); unit != null; unit = inbox.next()) {
      units.add(unit);
      if (isFence(unit)) {
        fences--;
      }
    }
    return moved;
  }

  /** What is closed takes no more, and may have said something before: that is still to be read. */
  private int write(ByteBuffer piece) {
    try {
      return channel.write(piece);
    } catch (IOException e) {
      int left = piece.remaining();
      piece.position(piece.limit());
      return left;
    }
  }

  private boolean isFence(Unit unit) {
    return dialect == Dialect.BINARY ? unit.text().contains(" opcode 0a ") : unit.isFence();
  }

  private boolean isDone() {
    return ended || (!closes && fences <= 0 && inbox.isEmpty() && !out.hasRemaining());
  }

  /** What came for the last batch, and how it ended where that was not rightly. */
  List<Unit> heard() {
    List<Unit> heard = new ArrayList<>(units);
    if (!inbox.isEmpty()) {
      heard.add(Unit.of("(and then a part: " + Escapes.of(inbox.rest()) + ")"));
    }
    if (ended != closes) {
      heard.add(Unit.of(ended ? "(closed)" : "(not closed)"));
    } else if (!closes && fences > 0) {
      heard.add(Unit.of("(no more)"));
    }
    return heard;
  }

  boolean isEnded() {
    return ended;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
