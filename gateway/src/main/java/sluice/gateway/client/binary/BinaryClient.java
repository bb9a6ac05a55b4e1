package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import java.util.function.Function;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.gateway.client.ClientConnection;
import sluice.gateway.client.Pieces;
import sluice.gateway.client.Refusal;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * A client that speaks the binary protocol: finds its packets, wherever the stream was cut.
 *
 * <p>The head of a packet is its header, extras and key; one that did not arrive whole, or whose
 * value did not, is copied into {@code head}. Of the value nothing is copied. What is then done
 * with a packet is in {@link BinaryRequests} and {@link IgniteRequests}.
 */
public final class BinaryClient extends ClientConnection {
  private enum State {
    /** Between packets, or inside a head of which {@code head} holds the beginning. */
    HEAD,
    /** Head is whole and has not been looked at, because it came in parts. */
    HEAD_WHOLE,
    /** Head is whole, pieces hold the beginning of the value. */
    VALUE,
    /** Head and pieces are a whole packet that has not been sent on. */
    GATHERED,
    /** The body of a refused packet goes by. */
    SWALLOW
  }

  /** What becomes of packets, which differs between what is spoken in them. */
  public interface Packets {
    /**
     * What of a packet must lie together to be understood, its header being whole: only that, where
     * the rest is not to be trusted. Borrows in.
     */
    int headLength(ByteBuf in, int at);

    /**
     * A packet whose head is [from, headEnd) of buffer, which is in or what the client keeps; its
     * value follows in in as far as it has arrived. Borrows both.
     */
    void packet(ByteBuf buffer, int from, int headEnd, ByteBuf in);

    /** A packet whose head is whole and whose value has been gathered. Borrows both. */
    void gathered(ByteBuf head, Pieces pieces);

    /** The answer to exchange, which failed; the caller owns the result. */
    ByteBuf failureReply(Exchange exchange, String reason);
  }

  /** Extras and key, whatever is spoken. */
  private static final int MOST_BEHIND_HEADER = 384;

  private final Packets requests;
  private State state = State.HEAD;
  private ByteBuf head;
  private int remaining;
  private final Refusal refusal = new Refusal();
  private boolean endsAfterwards;

  /** A client whose packets the result of {@code packets} handles. */
  public BinaryClient(Worker worker, Listening listening, Function<BinaryClient, Packets> packets) {
    super(worker, listening);
    requests = packets.apply(this);
  }

  @Override
  protected boolean hasUnsent() {
    return state == State.HEAD_WHOLE || state == State.GATHERED;
  }

  @Override
  protected void step(ByteBuf in) {
    switch (state) {
      case HEAD -> head(in);
      case HEAD_WHOLE -> requests.packet(head, 0, head.writerIndex(), in);
      case VALUE -> value(in);
      case GATHERED -> requests.gathered(head, pieces);
      case SWALLOW -> swallow(in);
    }
  }

  private void head(ByteBuf in) {
    int start = in.readerIndex();
    int available = in.readableBytes();
    if (head == null) {
      if (in.getUnsignedByte(start) != BinaryHeader.REQUEST_MAGIC) {
        end(); // as memcached does: without a word
        return;
      }
      if (available >= BinaryHeader.LENGTH) {
        int length = requests.headLength(in, start);
        if (available >= length) {
          requests.packet(in, start, start + length, in);
          return;
        }
      }
      head = loop.buffer(BinaryHeader.LENGTH + MOST_BEHIND_HEADER);
    }
    int wanted =
        head.writerIndex() < BinaryHeader.LENGTH
            ? BinaryHeader.LENGTH
            : requests.headLength(head, 0);
    int taken = Math.min(available, wanted - head.writerIndex());
    head.writeBytes(in, start, taken);
    in.skipBytes(taken);
    int length = head.writerIndex();
    if (length >= BinaryHeader.LENGTH && length == requests.headLength(head, 0)) {
      state = State.HEAD_WHOLE;
    }
  }

  private void value(ByteBuf in) {
    int length = Math.min(remaining, in.readableBytes());
    pieces.add(in, length);
    remaining -= length;
    if (remaining == 0) {
      state = State.GATHERED;
    }
  }

  private void swallow(ByteBuf in) {
    if (refusal.goBy(in)) {
      swallowed();
    }
  }

  private void swallowed() {
    state = State.HEAD;
    refusal.answer(this);
    if (endsAfterwards) {
      end();
    }
  }

  // --- what BinaryRequests asks for ---------------------------------------------------------

  /** The packet up to {@code next} of buffer is done with, as far as it lies there. */
  void packetDone(ByteBuf buffer, int next) {
    nextRequest();
    if (buffer == head) {
      flushRun(); // it may lie in head
      head.release();
      head = null;
      state = State.HEAD;
    } else {
      buffer.readerIndex(next);
    }
  }

  /** Gathers the packet's value, of value bytes, before it is looked at again. */
  void gather(ByteBuf buffer, int from, int headEnd, int value) {
    if (buffer != head) {
      head = loop.buffer(headEnd - from);
      head.writeBytes(buffer, from, headEnd - from);
      buffer.readerIndex(headEnd);
    }
    remaining = value;
    state = State.VALUE;
    makeRoom(value);
  }

  /** Lets bytes go by, and then answers. Consumes reply, which may be null for silence. */
  void swallow(long bytes, Command command, Outcome outcome, ByteBuf reply, boolean ends) {
    refusal.begin(bytes, command, outcome, reply);
    endsAfterwards = ends;
    state = State.SWALLOW;
    if (bytes == 0) {
      swallowed();
    }
  }

  /** The gathered packet is done with; what is left of its value is dropped. */
  void gatheredDone() {
    nextRequest();
    pieces.release();
    head.release();
    head = null;
    state = State.HEAD;
  }

  @Override
  public ByteBuf failureReply(Exchange exchange, String reason) {
    return requests.failureReply(exchange, reason);
  }

  @Override
  protected boolean isBetweenRequests() {
    return state == State.HEAD && head == null;
  }

  @Override
  protected void release() {
    pieces.release();
    if (head != null) {
      head.release();
      head = null;
    }
    refusal.release();
  }
}
