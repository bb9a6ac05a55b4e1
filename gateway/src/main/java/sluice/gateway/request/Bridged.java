package sluice.gateway.request;

import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.ReplyReader;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.values.ValueWork;

/**
 * Additional state of a pending reply whose server uses another dialect than the client, or whose
 * value is processed: the reader and the writer of the reply. Pooled like pending replies.
 */
public final class Bridged {
  private final Awaited awaited = new Awaited();
  private @Nullable ReplyReader reader;
  private @Nullable ReplyWriter writer;
  private @Nullable ValueWork work;
  private byte[] key = new byte[64];
  private int keyLength;
  private long exptime;
  private boolean setsExptime;

  Bridged() {}

  /**
   * Sets the reader of the server's reply, the writer of the client's, and the processing of values
   * or null. Reader and writer are null while this is in the pool.
   */
  public void between(
      @Nullable ReplyReader reader, @Nullable ReplyWriter writer, @Nullable ValueWork work) {
    this.reader = reader;
    this.writer = writer;
    this.work = work;
  }

  /**
   * Remembers the fields of the request, because its value may refer to other values that are read
   * next. Borrows request.
   */
  public void remember(Request request) {
    keyLength = request.key.length();
    if (keyLength > key.length) {
      key = new byte[Math.max(keyLength, 2 * key.length)];
    }
    request.key.buffer.getBytes(request.key.from, key, 0, keyLength);
    exptime = request.timeToLive.exptime;
    setsExptime = request.timeToLive.isGiven;
  }

  /** The server key: the first {@link #keyLength} bytes. */
  public byte[] key() {
    return key;
  }

  public int keyLength() {
    return keyLength;
  }

  /** The time to live that the request sets; see {@link #setsExptime}. */
  public long exptime() {
    return exptime;
  }

  public boolean setsExptime() {
    return setsExptime;
  }

  /** Copies what is needed to find the end of the reply to other's request. */
  void echo(Bridged other) {
    between(other.reader, null, null);
    awaited.copy(other.awaited);
  }

  /** The remembered fields of the request. */
  public Awaited awaited() {
    return awaited;
  }

  public @Nullable ReplyReader reader() {
    return reader;
  }

  public @Nullable ReplyWriter writer() {
    return writer;
  }

  /** The processing of values, or null. */
  public @Nullable ValueWork work() {
    return work;
  }
}
