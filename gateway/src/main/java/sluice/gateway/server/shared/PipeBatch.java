package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.Mailbox;
import sluice.gateway.request.ServerRequest;

/**
 * Batch from one end of a pipe between two event loops to the other, for one loop iteration. It has
 * requests, and bytes that may be released on any thread. It owns both until the other end takes
 * them. The object itself stays there, and is used for the way back.
 */
final class PipeBatch implements Mailbox.Task {
  private static final Logger LOG = LoggerFactory.getLogger(PipeBatch.class);

  /** Reason for closing a connection when one end failed on a batch. */
  static final String BROKEN = "an internal error";

  /** Capacity of the first buffer to copy into: enough for several short requests. */
  private static final int LEAST_JOINED = 512;

  /** No bound on the bytes that may follow. */
  private static final int ANY = 1 << 20;

  /** Receiver of batches. */
  interface End {
    /** Takes the content of a batch, and the batch. On its loop. */
    void arrived(PipeBatch batch);

    /** Processing failed: replies cannot be assigned to requests any more. */
    void broken();
  }

  private @Nullable End to; // null while it is free
  private ServerRequest[] requests = new ServerRequest[8];
  private int requestCount;
  private final SliceList slices = new SliceList();
  private int taken;
  private @Nullable Loop sender; // whose account has its bytes; null without bytes

  /** Sets the receiving end. */
  PipeBatch to(End end) {
    to = end;
    return this;
  }

  @SuppressWarnings("NullAway") // it is sent with one
  private End receiver() {
    return to;
  }

  void add(ServerRequest request) {
    if (requestCount == requests.length) {
      requests = Arrays.copyOf(requests, 2 * requestCount);
    }
    requests[requestCount++] = request;
  }

  /**
   * Adds the bytes [from, from + length) of source. They count as buffered by loop from now on; if
   * it fails, those do that were added. Borrows source.
   *
   * @param copies whether they are copied if they are a small part of source, which may have to
   *     wait for long
   */
  void add(Loop loop, ByteBuf source, int from, int length, boolean copies) {
    int before = bytes();
    sender = loop;
    try {
      if (SliceList.isCopied(length) || (copies && Loop.isSmallPartOf(source, length))) {
        slices.copy(source, from, length, loop.workspace().allocator(), LEAST_JOINED, ANY);
      } else {
        slices.add(Slices.forAnyThread(source, from, length));
      }
    } finally {
      loop.buffered(bytes() - before);
    }
  }

  /** Reports a number of bytes from the other direction as processed. */
  void taken(int bytes) {
    taken = bytes;
  }

  int requests() {
    return requestCount;
  }

  ServerRequest request(int index) {
    return requests[index];
  }

  /** Its slices; borrowed, and the caller may remove some. */
  SliceList slices() {
    return slices;
  }

  /** The length of all its slices, in bytes. */
  int bytes() {
    return slices.length();
  }

  /** Bytes of the other direction reported as processed. */
  int taken() {
    return taken;
  }

  @Override
  public void run() {
    End end = receiver();
    boolean whole = false;
    try {
      end.arrived(this);
      whole = true;
    } finally {
      if (!whole) {
        if (to == end) {
          clear();
        }
        end.broken();
      }
    }
  }

  /** Releases the slices that were not taken, and clears the requests. */
  void clear() {
    slices.clear();
    Arrays.fill(requests, 0, requestCount, null);
    requestCount = 0;
    taken = 0;
    to = null;
    sender = null;
  }

  /** The receiver, which would have taken the bytes off its account, has ended. */
  @Override
  public void drop() {
    Loop counting = sender;
    int bytes = bytes();
    clear();
    if (counting == null || bytes == 0) {
      return;
    }
    try {
      counting.eventLoop().execute(() -> counting.buffered(-bytes)); // an account is its loop's
    } catch (RejectedExecutionException e) {
      LOG.debug("an event loop has ended", e); // and nothing reads its account any more
    }
  }
}
