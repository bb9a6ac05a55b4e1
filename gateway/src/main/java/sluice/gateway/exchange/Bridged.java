package sluice.gateway.exchange;

import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.ReplyReader;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.values.ValueWork;

/**
 * What an exchange needs whose server is spoken to in another dialect than its client speaks, or
 * whose value is worked on: who reads the reply, and who writes it. Pooled like exchanges.
 */
public final class Bridged {
  private final Awaited awaited = new Awaited();
  private ReplyReader reader;
  private ReplyWriter writer;
  private ValueWork work;
  private byte[] key = new byte[64];
  private int keyLength;
  private long exptime;
  private boolean setsExptime;

  Bridged() {}

  /** Sets who reads the server's reply, who writes the client's, and who works on it or null. */
  public void between(ReplyReader reader, ReplyWriter writer, ValueWork work) {
    this.reader = reader;
    this.writer = writer;
    this.work = work;
  }

  /**
   * Remembers what the request asks for: its value may stand for others, which are asked for next.
   * Borrows request.
   */
  public void remember(Request request) {
    keyLength = request.keyLength();
    if (keyLength > key.length) {
      key = new byte[Math.max(keyLength, 2 * key.length)];
    }
    request.key.getBytes(request.keyFrom, key, 0, keyLength);
    exptime = request.exptime;
    setsExptime = request.setsExptime;
  }

  /** The key as the server knows it: the first {@link #keyLength} bytes. */
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

  /** Takes over what the end of the reply to other's request can be found with. */
  void echo(Bridged other) {
    between(other.reader, null, null);
    awaited.copy(other.awaited);
  }

  /** What is remembered of the request. */
  public Awaited awaited() {
    return awaited;
  }

  public ReplyReader reader() {
    return reader;
  }

  public ReplyWriter writer() {
    return writer;
  }

  /** What is done with values, or null. */
  public ValueWork work() {
    return work;
  }
}
