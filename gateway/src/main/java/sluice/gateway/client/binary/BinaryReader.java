package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.DialectReader;
import sluice.gateway.client.Refusal;
import sluice.gateway.client.ValueSlices;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.PendingReply;
import sluice.gateway.session.LoopState;
import sluice.names.Command;

/**
 * Client that speaks the binary protocol: finds its packets, for any cut of the stream, and owns
 * the current request.
 *
 * <p>The head of a packet is its header, extras and key. If the head or the value did not arrive
 * completely, the head is copied into {@code head}. The value is never copied. {@code
 * BinaryRequests} and {@code IgniteRequests} handle packets, for all clients of an event loop.
 */
public final class BinaryReader implements DialectReader, BinaryRequest.Owner {
  private enum State {
    /**
     * Between packets, inside a head whose beginning {@code head} holds, or at a packet in the
     * input that has not been sent on.
     */
    HEAD,
    /** Head is complete and was not handled, because it came in parts. */
    HEAD_WHOLE,
    /** Head is complete, slices hold the beginning of the value. */
    VALUE,
    /** Head and slices are a complete packet that has not been sent on. */
    GATHERED,
    /** The body of a refused packet is discarded. */
    DISCARD
  }

  /**
   * Handler of packets, for one dialect and all clients of an event loop. A request that is not
   * finished when a method returns waits.
   */
  public interface Handler {
    /**
     * Length of the part of a packet that must be contiguous to be parsed. Its header is complete;
     * the result is the header's length if the other lengths are not valid. Borrows in.
     */
    int headLength(ByteBuf in, int at);

    /** Whether quiet opcodes are answered like all others. */
    boolean answersAll();

    /** Handles a request whose head is complete; its value may follow in the same buffer. */
    void handle(BinaryRequest request);

    /** Handles a request whose value has been gathered. Borrows client.slices(). */
    void handleGathered(BinaryRequest request, ValueSlices slices);

    /** The error reply in place of {@code pending}; the caller owns the result. */
    ByteBuf failureReply(PendingReply pending, String reason);
  }

  /** Extras and key, in both dialects. */
  private static final int MOST_BEHIND_HEADER = 384;

  private final BinaryRequestPool pool;
  private final Handler requests;
  private final ConnectedClient client;
  private final ListenerView listenerView;
  private final @Nullable LoginState login; // null if no login is required
  private final Loop loop;
  private State state = State.HEAD;
  private @Nullable ByteBuf head;
  private @Nullable BinaryRequest request; // null unless a request is being handled or waits
  private int remaining;
  private final Refusal refusal = new Refusal();

  /** A client whose requests are handled by {@code requests}. */
  public BinaryReader(
      ConnectedClient client,
      LoopState loopState,
      BinaryRequestPool pool,
      Handler requests,
      ListenerView listenerView) {
    this.client = client;
    loop = loopState.loop();
    this.pool = pool;
    this.requests = requests;
    this.listenerView = listenerView;
    login = listenerView.users() == null ? null : new LoginState();
  }

  @Override
  public boolean hasUnsent() {
    return state == State.HEAD_WHOLE || state == State.GATHERED;
  }

  @Override
  public void step(ByteBuf in) {
    switch (state) {
      case HEAD -> head(in);
      case HEAD_WHOLE -> handle(kept(), 0, kept().writerIndex());
      case VALUE -> value(in);
      case GATHERED -> handleGathered();
      case DISCARD -> discard(in);
    }
  }

  private void head(ByteBuf in) {
    if (request != null) {
      handle(in, request.from(), request.headEnd()); // it waited
      return;
    }
    int start = in.readerIndex();
    int available = in.readableBytes();
    ByteBuf part = head;
    if (part == null) {
      if (in.getUnsignedByte(start) != BinaryHeader.REQUEST_MAGIC) {
        client.end(); // as in memcached: without an answer
        return;
      }
      if (available >= BinaryHeader.LENGTH) {
        int length = requests.headLength(in, start);
        if (available >= length) {
          handle(in, start, start + length);
          return;
        }
      }
      part = loop.buffer(BinaryHeader.LENGTH + MOST_BEHIND_HEADER);
      head = part;
    }
    int wanted =
        part.writerIndex() < BinaryHeader.LENGTH
            ? BinaryHeader.LENGTH
            : requests.headLength(part, 0);
    int taken = Math.min(available, wanted - part.writerIndex());
    part.writeBytes(in, start, taken);
    in.skipBytes(taken);
    int length = part.writerIndex();
    if (length >= BinaryHeader.LENGTH && length == requests.headLength(part, 0)) {
      state = State.HEAD_WHOLE;
    }
  }

  /** Handles the request whose head is [from, headEnd) of buffer, or continues it. */
  private void handle(ByteBuf buffer, int from, int headEnd) {
    BinaryRequest current = request;
    if (current == null) {
      current = pool.read(this, buffer, from, headEnd, requests.answersAll());
      request = current;
    }
    requests.handle(current);
    if (request != null && state != State.VALUE) {
      request.waits();
    }
  }

  private void handleGathered() {
    requests.handleGathered(current(), client.slices());
    if (request != null) {
      request.waits();
    }
  }

  private void dropRequest() {
    BinaryRequest dropped = current();
    request = null;
    pool.give(dropped);
  }

  /** The request that is being handled or waits. */
  @SuppressWarnings("NullAway") // what needs one happens only while there is one
  private BinaryRequest current() {
    return request;
  }

  /** The head, in a state that has one. */
  @SuppressWarnings("NullAway") // HEAD_WHOLE, VALUE and GATHERED have one
  private ByteBuf kept() {
    return head;
  }

  private void releaseHead() {
    kept().release();
    head = null;
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
    if (request != null && state == State.HEAD) {
      request.moved(moved, by);
    }
  }

  private void value(ByteBuf in) {
    int length = Math.min(remaining, in.readableBytes());
    client.slices().add(in, length);
    remaining -= length;
    if (remaining == 0) {
      state = State.GATHERED;
    }
  }

  private void discard(ByteBuf in) {
    if (refusal.discard(in)) {
      discarded();
    }
  }

  private void discarded() {
    state = State.HEAD;
    refusal.answer(client);
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
  public @Nullable LoginState login() {
    return login;
  }

  @Override
  public void packetDone(BinaryRequest done, int value) {
    client.nextRequest();
    if (done.buffer() == head) {
      client.flushRun(); // the batch may lie in head
      releaseHead();
      state = State.HEAD;
    } else {
      done.buffer().readerIndex(done.headEnd() + value);
    }
    dropRequest();
  }

  @Override
  public void gather(BinaryRequest of, int value) {
    ByteBuf in = of.buffer();
    if (in != head) {
      int from = of.from();
      int headEnd = of.headEnd();
      ByteBuf copy = loop.buffer(headEnd - from);
      head = copy;
      copy.writeBytes(in, from, headEnd - from);
      of.moved(copy, -from);
      in.readerIndex(headEnd);
    }
    remaining = value;
    state = State.VALUE;
    client.makeRoom(value);
  }

  @Override
  public void discard(long bytes, Command command, Outcome outcome, @Nullable ByteBuf reply) {
    refusal.begin(bytes, command, outcome, reply);
    state = State.DISCARD;
    if (bytes == 0) {
      discarded();
    }
  }

  @Override
  public void gatheredDone(BinaryRequest done) {
    client.nextRequest();
    client.slices().release();
    releaseHead();
    state = State.HEAD;
    dropRequest();
  }

  @Override
  public ByteBuf failureReply(PendingReply pending, String reason) {
    return requests.failureReply(pending, reason);
  }

  @Override
  public boolean isBetweenRequests() {
    return state == State.HEAD && head == null;
  }

  @Override
  public void release() {
    client.slices().release();
    if (request != null) {
      dropRequest();
    }
    if (head != null) {
      releaseHead();
    }
    refusal.release();
  }
}
