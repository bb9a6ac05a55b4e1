package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.DialectReader;
import sluice.gateway.client.Refusal;
import sluice.gateway.client.text.request.RequestReader;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.client.text.request.TextRequestPool;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.TextErrors;
import sluice.gateway.session.LineMemory;
import sluice.gateway.session.LoopState;
import sluice.names.Command;

/**
 * Client that speaks the text protocol, classic and meta: finds its requests, for any cut of the
 * stream, and owns the current one.
 *
 * <p>If a line or its data block did not arrive completely, the line is copied into {@code head};
 * the block is never copied. An incomplete line waits before it is longer than {@link #READ_BUFFER}
 * until there is memory for the longest. The handler of its event loop handles requests.
 */
public final class TextReader implements DialectReader, RequestReader {
  private static final byte LF = '\n';
  private static final int MAX_PARTIAL_LINE = 2048;
  private static final int MAX_GET_LINE = LineMemory.LONGEST;

  /** Size of memcached's read buffer: a line that does not fit is never complete. */
  private static final int READ_BUFFER = LineMemory.SHORT;

  private enum State {
    /**
     * Between requests, inside a line that begins in head, or at a complete line in the input that
     * has not been sent on.
     */
    LINE,
    /** Head holds a complete line that has not been sent on. */
    HEAD,
    /** Head holds a line, slices the beginning of its data block. */
    BLOCK,
    /** Head and slices are a complete request that has not been sent on. */
    GATHERED,
    /** The data block of a refused request is discarded. */
    DISCARD
  }

  /**
   * Handler of the requests of one event loop. A request that is not finished when a method returns
   * waits.
   */
  public interface Handler {
    /** Handles a request whose line is complete; its data block may follow in the same buffer. */
    void handle(TextRequest request);

    /** Handles a request whose data block has been gathered. */
    void handleGathered(TextRequest request);
  }

  private final TextRequestPool pool;
  private final Handler requests;
  private final ConnectedClient client;
  private final ListenerView listenerView;
  private final Loop loop;
  private State state = State.LINE;
  private @Nullable ByteBuf head;
  private @Nullable TextRequest request; // null unless a request is being handled or waits
  private int remaining;
  private @Nullable Refusal refusal; // null before the first with a data block
  private @Nullable TextLogin login; // null once the client has logged in, or if it need not

  /**
   * The reader of a client.
   *
   * @param requests handles its requests, and those of the event loop's other clients
   */
  public TextReader(
      ConnectedClient client,
      LoopState loopState,
      TextPools pools,
      ListenerView listenerView,
      Handler requests) {
    this.client = client;
    this.listenerView = listenerView;
    loop = loopState.loop();
    pool = pools.requests();
    this.requests = requests;
    login = listenerView.users() == null ? null : new TextLogin(client, loopState, listenerView);
  }

  // --- reading ------------------------------------------------------------------------------

  @Override
  public boolean hasUnsent() {
    return state == State.HEAD || state == State.GATHERED;
  }

  @Override
  public void step(ByteBuf in) {
    if (login != null) {
      login = login.step(in) ? null : login;
      return;
    }
    switch (state) {
      case LINE -> line(in);
      case HEAD -> handle(head(), 0, head().writerIndex());
      case BLOCK -> block(in);
      case GATHERED -> handleGathered();
      case DISCARD -> discard(in);
    }
  }

  private void line(ByteBuf in) {
    if (request != null) {
      handle(in, request.from(), request.next()); // it waited
      return;
    }
    int start = in.readerIndex();
    int end = in.writerIndex();
    int lf = in.indexOf(start, end, LF);
    if (lf >= 0 && head == null) {
      handle(in, start, lf + 1);
    } else if (lf >= 0) {
      addToHead(in, start, lf + 1);
      in.readerIndex(lf + 1);
      client.line().complete();
      state = State.HEAD;
    } else if (mayGather(in, start, end)) {
      addToHead(in, start, end);
      in.readerIndex(end);
      closeIfLonger(READ_BUFFER);
    }
  }

  /**
   * Whether the bytes [from, to) of in may join the incomplete line in head. Otherwise they stay
   * where they are until there is memory for a long line. Borrows in.
   */
  private boolean mayGather(ByteBuf in, int from, int to) {
    int before = head == null ? 0 : head.writerIndex();
    return before + to - from <= READ_BUFFER || !isGet(in, from) || client.line().mayBeLong();
  }

  /**
   * Handles the request whose line is [from, next) of buffer. One that waited continues at its
   * phase, unless a server has reported a version that reads lines differently. Borrows buffer.
   */
  private void handle(ByteBuf buffer, int from, int next) {
    if (request != null && !request.version().equals(listenerView.version())) {
      dropRequest();
    }
    TextRequest current = request;
    if (current == null) {
      current = pool.read(this, buffer, from, next);
      request = current;
    }
    requests.handle(current);
    if (request != null && state != State.BLOCK) {
      request.waits();
    }
  }

  private void handleGathered() {
    requests.handleGathered(current());
    if (request != null) {
      request.waits();
    }
  }

  private void dropRequest() {
    TextRequest dropped = current();
    request = null;
    pool.give(dropped);
  }

  /** The request that is being handled or waits. */
  @SuppressWarnings("NullAway") // what needs one happens only while there is one
  private TextRequest current() {
    return request;
  }

  /** The head, in a state that has one. */
  @SuppressWarnings("NullAway") // HEAD, BLOCK and GATHERED have one
  private ByteBuf head() {
    return head;
  }

  /** A request that waits in the input is parsed again, because its route may have changed. */
  @Override
  public void configured() {
    if (request != null) {
      dropRequest();
    }
  }

  @Override
  public void moved(ByteBuf moved, int by) {
    if (request != null && state == State.LINE) {
      request.moved(moved, by);
    }
  }

  /** Closes without a reply once all available bytes were read, as memcached does. */
  @Override
  public void readComplete() {
    closeIfLonger(MAX_PARTIAL_LINE);
  }

  private void closeIfLonger(int most) {
    ByteBuf line = head;
    if (state == State.LINE
        && line != null
        && line.writerIndex() > most
        && (line.writerIndex() > MAX_GET_LINE || !isGet(line, 0))) {
      releaseHead(); // others may wait for its memory while this client reads its last replies
      client.end();
    }
  }

  /** Whether the line in head, which the bytes from an index of in on continue, is a get. */
  private boolean isGet(ByteBuf in, int from) {
    byte fourth = at(3, in, from);
    return at(0, in, from) == 'g'
        && at(1, in, from) == 'e'
        && at(2, in, from) == 't'
        && (fourth == ' ' || (fourth == 's' && at(4, in, from) == ' '));
  }

  private byte at(int index, ByteBuf in, int from) {
    int inHead = head == null ? 0 : head.writerIndex();
    return index < inHead ? head().getByte(index) : in.getByte(from + index - inHead);
  }

  /** Appends the bytes [from, to) of in to head, which it returns. Borrows in. */
  private ByteBuf addToHead(ByteBuf in, int from, int to) {
    ByteBuf longer = head == null ? loop.buffer(Math.max(128, to - from)) : head;
    head = longer;
    longer.writeBytes(in, from, to - from);
    client.line().add(to - from);
    return longer;
  }

  private void releaseHead() {
    client.line().release();
    head().release();
    head = null;
  }

  private void block(ByteBuf in) {
    int length = Math.min(remaining, in.readableBytes());
    client.slices().add(in, length);
    remaining -= length;
    if (remaining == 0) {
      state = State.GATHERED;
    }
  }

  private void discard(ByteBuf in) {
    Refusal refused = refusal();
    if (refused.discard(in)) {
      state = State.LINE;
      refused.answer(client);
    }
  }

  private Refusal refusal() {
    refusal = refusal == null ? new Refusal() : refusal;
    return refusal;
  }

  // --- what handlers ask for ----------------------------------------------------------------

  @Override
  public ConnectedClient client() {
    return client;
  }

  @Override
  public ListenerView listenerView() {
    return listenerView;
  }

  @Override
  public void lineDone(int block) {
    client.nextRequest();
    TextRequest done = current();
    if (done.buffer() == head) {
      client.flushRun(); // the batch may lie in head
      releaseHead();
      state = State.LINE;
    } else {
      done.buffer().readerIndex(done.next() + block);
    }
    dropRequest();
  }

  @Override
  public void gather(int block) {
    TextRequest gathered = current();
    ByteBuf in = gathered.buffer();
    if (in != head) {
      int from = gathered.from();
      int next = gathered.next();
      gathered.moved(addToHead(in, from, next), -from);
      in.readerIndex(next);
      client.line().complete();
    }
    remaining = block;
    state = State.BLOCK;
    client.makeRoom(block);
  }

  @Override
  public void discard(int block, Command command, Outcome outcome, @Nullable ByteBuf reply) {
    lineDone();
    if (block == 0) {
      client.answer(command, outcome, reply);
      return;
    }
    refusal().begin(block, command, outcome, reply);
    state = State.DISCARD;
  }

  @Override
  public void gatheredDone() {
    client.nextRequest();
    client.slices().release();
    releaseHead();
    state = State.LINE;
    dropRequest();
  }

  @Override
  public boolean isFirst() {
    TextRequest first = current();
    return client.hasNothingUnderWay() && (first.buffer() == head || first.from() == 0);
  }

  @Override
  public ByteBuf failureReply(PendingReply pending, String reason) {
    return TextErrors.serverError(loop, reason);
  }

  @Override
  public boolean isBetweenRequests() {
    return state == State.LINE && head == null && (login == null || !login.hasBegun());
  }

  @Override
  public void release() {
    if (login != null) {
      login.release();
    }
    client.slices().release();
    if (request != null) {
      dropRequest();
    }
    if (head != null) {
      releaseHead();
    }
    if (refusal != null) {
      refusal.release();
    }
  }
}
