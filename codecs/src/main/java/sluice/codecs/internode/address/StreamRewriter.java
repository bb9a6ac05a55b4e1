package sluice.codecs.internode.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;

/**
 * Rewriter of the addresses in one direction of a streaming connection, after the handshake. A
 * file's bytes are never changed: they are passed on as slices of the reads.
 *
 * <pre>
 *   | type | control message |                       sent over the connection of a session
 *   | type | who sends it | sections | chunks | format of the rows | the file's bytes |
 * </pre>
 *
 * No field states the length of a message. Each is read field by field to find where the next
 * begins, and the fields before a file determine its length. If a message cannot be read,
 * everything from it on passes unchanged, see {@link #isLost}.
 *
 * <p>Only a message's fields are held until they are complete, at most {@link #MAX_HELD} bytes. In
 * steady state nothing is allocated on the heap.
 */
public final class StreamRewriter {
  /**
   * The most bytes of one message's fields; a session of thousands of ranges has some hundred
   * thousand.
   */
  public static final int MAX_HELD = 1 << 20;

  private static final int JOINED = 4096; // bytes of a message that are first copied together

  private enum State {
    MESSAGE,
    SECTIONS,
    CHUNK_COUNT,
    CHUNKS,
    REST,
    BLOCK,
    BYTES,
    LOST
  }

  private final int version;
  private final ByteBufAllocator allocator;
  private final ByteSink sink;
  private final Splices splices = new Splices();
  private final Fields fields;
  private final SliceList queue = new SliceList(new Slices());

  private State state = State.MESSAGE;
  private int needed; // bytes without which the unit at the queue's front cannot be complete
  private int done; // processed bytes that are still at the queue's front
  private int countLeft; // of sections or chunks
  private boolean compressed;
  private long sectionBytes;
  private long chunkBytes;
  private long bytesLeft; // of the file, or of one block of it
  private long plainLeft; // of a file that is sent in compressed blocks
  private long units; // read so far

  /**
   * A rewriter of one direction.
   *
   * @param version as negotiated, 12 or later
   * @param sink consumes the outgoing buffers
   */
  public StreamRewriter(AddressMap map, int version, ByteBufAllocator allocator, ByteSink sink) {
    this.version = version;
    this.allocator = allocator;
    this.sink = sink;
    fields = new Fields(map, splices);
  }

  /**
   * Processes the bytes that were read next, and passes on everything that can leave. Consumes
   * bytes.
   */
  public void read(ByteBuf bytes) {
    queue.addRead(bytes);
    boolean goesOn = true;
    while (goesOn && queue.length() > done) {
      goesOn = isReading() ? readUnit() : passBytes();
    }
    handOut();
    queue.copyLastIfSmall();
  }

  private boolean isReading() {
    return state != State.BYTES && state != State.LOST;
  }

  private boolean passBytes() {
    int there = queue.length() - done;
    if (state == State.LOST) {
      done += there;
      return false;
    }
    int here = (int) Math.min(there, bytesLeft);
    done += here;
    bytesLeft -= here;
    if (bytesLeft == 0) {
      state = plainLeft > 0 ? State.BLOCK : State.MESSAGE;
    }
    return true;
  }

  /** Reads a unit that must be complete to be read; returns false while it is not. */
  private boolean readUnit() {
    int there = queue.length() - done;
    if (there < needed) {
      return false;
    }
    int here = queue.contiguous(done);
    int tried = tryUnit(queue.sliceAt(done), queue.index(done), here);
    if (tried != 0 || fields.needed() > there) {
      return hasTried(tried, queue.sliceAt(done), queue.index(done));
    }
    // The unit continues in the next buffer: only then is it copied, and only as far as needed.
    int most = Math.min(there, MAX_HELD);
    ByteBuf joined = allocator.directBuffer(most, most);
    try {
      for (int size = JOINED; tried == 0 && fields.needed() <= most; size *= 4) {
        here = (int) Math.min(Math.max(size, fields.needed()), most);
        queue.getBytes(done, joined, 0, here);
        tried = tryUnit(joined, 0, here);
      }
      return hasTried(tried, joined, 0);
    } finally {
      joined.release();
    }
  }

  /** Handles a unit that was tried; returns false if it waits for more bytes. */
  private boolean hasTried(int tried, ByteBuf buffer, int index) {
    needed = 0;
    if (tried == 0 && fields.needed() <= MAX_HELD) {
      needed = (int) fields.needed();
      splices.clear();
      return false;
    }
    if (tried <= 0) {
      splices.clear();
      state = State.LOST;
    } else {
      units++;
      if (splices.count() == 0) {
        done += tried;
      } else {
        replace(buffer, index, tried);
      }
    }
    return true;
  }

  /** Tries to read a unit. Returns its length, 0 if it is incomplete, -1 if it cannot be read. */
  private int tryUnit(ByteBuf buffer, int index, int length) {
    splices.clear();
    fields.wrap(buffer, index, index + length);
    return switch (state) {
      case MESSAGE -> message(index);
      case SECTIONS -> sections(index);
      case CHUNK_COUNT -> chunkCount(index);
      case CHUNKS -> chunks(index);
      case REST -> rest(index);
      case BLOCK -> block(index);
      case BYTES, LOST -> throw new IllegalStateException(state.name());
    };
  }

  /** Length of the fields read from index on, if they are complete and valid. */
  private int unit(int index) {
    return fields.isGood() ? fields.index() - index : fields.isWrong() ? -1 : 0;
  }

  private int message(int index) {
    int type = fields.unsignedByte();
    if (type != StreamFields.STREAM) {
      StreamFields.control(fields, type, version);
      return unit(index);
    }
    int sections = StreamFields.streamHead(fields);
    int length = unit(index);
    if (length > 0) {
      sectionBytes = 0;
      chunkBytes = 0;
      countLeft = sections;
      state = sections > 0 ? State.SECTIONS : State.CHUNK_COUNT;
    }
    return length;
  }

  private int sections(int index) {
    long bytes = StreamFields.section(fields);
    fields.require(sectionBytes + bytes >= 0);
    int length = unit(index);
    if (length > 0) {
      sectionBytes += bytes;
      state = --countLeft > 0 ? State.SECTIONS : State.CHUNK_COUNT;
    }
    return length;
  }

  private int chunkCount(int index) {
    int count = fields.int32();
    fields.require(count >= -1);
    int length = unit(index);
    if (length > 0) {
      compressed = count >= 0;
      countLeft = count;
      state = count > 0 ? State.CHUNKS : State.REST;
    }
    return length;
  }

  private int chunks(int index) {
    long bytes = StreamFields.chunk(fields);
    int length = unit(index);
    if (length > 0) {
      chunkBytes += bytes;
      state = --countLeft > 0 ? State.CHUNKS : State.REST;
    }
    return length;
  }

  private int rest(int index) {
    long componentBytes = StreamFields.streamRest(fields, compressed);
    int length = unit(index);
    if (length > 0) {
      boolean inBlocks = componentBytes < 0 && !compressed;
      plainLeft = inBlocks ? sectionBytes : 0;
      bytesLeft = inBlocks ? 0 : componentBytes < 0 ? chunkBytes : componentBytes;
      state = bytesLeft > 0 ? State.BYTES : plainLeft > 0 ? State.BLOCK : State.MESSAGE;
    }
    return length;
  }

  /** Reads the lengths of a block's compressed bytes, which follow, and of its plain bytes. */
  private int block(int index) {
    int block = fields.int32();
    int plain = fields.int32();
    int length = unit(index);
    if (length > 0) {
      if (block <= 0 || plain <= 0 || plain > plainLeft) {
        return -1;
      }
      bytesLeft = block;
      plainLeft -= plain;
      state = State.BYTES;
    }
    return length;
  }

  /** Passes on a unit with replacements, and everything before it. */
  private void replace(ByteBuf buffer, int index, int length) {
    handOut();
    ByteBuf out = allocator.directBuffer(length + splices.growth());
    int at = index;
    for (int i = 0; i < splices.count(); i++) {
      out.writeBytes(buffer, at, splices.offset(i) - at);
      splices.writeNew(i, out);
      at = splices.offset(i) + splices.length(i);
    }
    out.writeBytes(buffer, at, index + length - at);
    splices.clear();
    queue.skip(length);
    sink.accept(out);
  }

  private void handOut() {
    queue.moveTo(sink, done);
    done = 0;
  }

  /**
   * Whether a message could not be read, so that nothing is replaced any more. The caller counts
   * the connection once.
   */
  public boolean isLost() {
    return state == State.LOST;
  }

  /** Bytes that wait for the rest of their message. */
  public int heldBytes() {
    return queue.length();
  }

  /** Number of messages, or parts of a file's header, that were complete and have been read. */
  public long units() {
    return units;
  }

  /** Releases everything that has not left. Nothing may be read afterwards. */
  public void close() {
    queue.clear();
  }
}
