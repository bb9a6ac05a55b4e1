package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.function.Function;
import sluice.gateway.client.ClientConnection;
import sluice.gateway.client.Pieces;
import sluice.gateway.client.Refusal;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.listener.Listening;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.TextErrors;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * A client that speaks the text protocol, classic and meta: finds its requests, wherever the stream
 * was cut.
 *
 * <p>A line that did not arrive whole, or whose data block did not, is copied into {@code head}; of
 * the block nothing is copied. What is then done with a request is in {@link TextRequests}.
 */
public final class TextClient extends ClientConnection {
  private static final byte LF = '\n';
  private static final int MAX_PARTIAL_LINE = 2048;
  private static final int MAX_GET_LINE = 1024 * 1024;

  /** memcached's read buffer: what is not whole in it is never going to be. */
  private static final int READ_BUFFER = 16 * 1024;

  private enum State {
    /** Between requests, or inside a line that head holds the beginning of. */
    LINE,
    /** Head holds a whole line that has not been sent on. */
    HEAD,
    /** Head holds a line, pieces the beginning of its data block. */
    BLOCK,
    /** Head and pieces are a whole request that has not been sent on. */
    GATHERED,
    /** The data block of a refused request goes by. */
    SWALLOW
  }

  /** What becomes of requests. */
  public interface Lines {
    /**
     * A line [from, next), its line end included, in buffer, which is in or what the client keeps;
     * its data block, if it has one, follows in in as far as it has arrived. Borrows both.
     */
    void line(ByteBuf buffer, int from, int next, ByteBuf in);

    /** A request whose line is head and whose block has been gathered. Borrows head. */
    void gathered(ByteBuf head);
  }

  private final Lines requests;
  private State state = State.LINE;
  private ByteBuf head;
  private int remaining;
  private final Refusal refusal = new Refusal();
  private TextLogin login; // null once the client has logged in, or need not

  /** A client whose lines the result of {@code lines} handles. */
  public TextClient(Worker worker, Listening listening, Function<TextClient, Lines> lines) {
    super(worker, listening);
    requests = lines.apply(this);
    login = listening.users() == null ? null : new TextLogin(this, worker, listening);
  }

  // --- reading ------------------------------------------------------------------------------

  @Override
  protected boolean hasUnsent() {
    return state == State.HEAD || state == State.GATHERED;
  }

  @Override
  protected void step(ByteBuf in) {
    if (login != null) {
      login = login.step(in) ? null : login;
      return;
    }
    switch (state) {
      case LINE -> line(in);
      case HEAD -> requests.line(head, 0, head.writerIndex(), in);
      case BLOCK -> block(in);
      case GATHERED -> requests.gathered(head);
      case SWALLOW -> swallow(in);
    }
  }

  private void line(ByteBuf in) {
    int start = in.readerIndex();
    int end = in.writerIndex();
    int lf = in.indexOf(start, end, LF);
    if (lf < 0) {
      addToHead(in, start, end);
      in.readerIndex(end);
      closeIfLonger(READ_BUFFER);
    } else if (head == null) {
      requests.line(in, start, lf + 1, in);
    } else {
      addToHead(in, start, lf + 1);
      in.readerIndex(lf + 1);
      state = State.HEAD;
    }
  }

  /** As memcached, when it has read all that there is: without a word. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    closeIfLonger(MAX_PARTIAL_LINE);
    ctx.fireChannelReadComplete();
  }

  private void closeIfLonger(int most) {
    if (state == State.LINE
        && head != null
        && head.writerIndex() > most
        && (head.writerIndex() > MAX_GET_LINE || !isGet(head))) {
      end();
    }
  }

  private static boolean isGet(ByteBuf line) {
    return line.getMedium(0) == ('g' << 16 | 'e' << 8 | 't')
        && (line.getByte(3) == ' ' || (line.getByte(3) == 's' && line.getByte(4) == ' '));
  }

  private void addToHead(ByteBuf in, int from, int to) {
    if (head == null) {
      head = loop.buffer(Math.max(128, to - from));
    }
    head.writeBytes(in, from, to - from);
    holdValue(to - from);
  }

  private void releaseHead() {
    holdValue(-head.writerIndex());
    head.release();
    head = null;
  }

  private void block(ByteBuf in) {
    int length = Math.min(remaining, in.readableBytes());
    pieces.add(in, length);
    remaining -= length;
    if (remaining == 0) {
      state = State.GATHERED;
    }
  }

  private void swallow(ByteBuf in) {
    if (refusal.goBy(in)) {
      state = State.LINE;
      refusal.answer(this);
    }
  }

  // --- what TextRequests asks for -----------------------------------------------------------

  /** The line [.., next) of buffer is done with. */
  void lineDone(ByteBuf buffer, int next) {
    nextRequest();
    if (buffer == head) {
      flushRun(); // it may lie in head
      releaseHead();
      state = State.LINE;
    } else {
      buffer.readerIndex(next);
    }
  }

  /** Gathers the line's data block, line end included, before it is looked at again. */
  void gather(ByteBuf buffer, int from, int next, int block) {
    if (buffer != head) {
      addToHead(buffer, from, next);
      buffer.readerIndex(next);
    }
    remaining = block;
    state = State.BLOCK;
    makeRoom(block);
  }

  /** Lets block bytes go by, and then answers. Consumes reply, which may be null for silence. */
  void swallow(int block, Command command, Outcome outcome, ByteBuf reply) {
    if (block == 0) {
      answer(command, outcome, reply);
      return;
    }
    refusal.begin(block, command, outcome, reply);
    state = State.SWALLOW;
  }

  /** The gathered block. */
  Pieces pieces() {
    return pieces;
  }

  /** The gathered request is done with; what is left of its block is dropped. */
  void gatheredDone() {
    nextRequest();
    pieces.release();
    releaseHead();
    state = State.LINE;
  }

  /** Whether a request that starts here is the first of what was read, and nothing is in flight. */
  boolean isFirstOf(ByteBuf buffer, int from, ByteBuf in) {
    return ring.isEmpty() && (buffer != in || from == 0);
  }

  @Override
  public ByteBuf failureReply(Exchange exchange, String reason) {
    return TextErrors.serverError(loop, reason);
  }

  @Override
  protected boolean isBetweenRequests() {
    return state == State.LINE && head == null && (login == null || !login.hasBegun());
  }

  @Override
  protected void release() {
    if (login != null) {
      login.release();
    }
    pieces.release();
    if (head != null) {
      releaseHead();
    }
    refusal.release();
  }
}
