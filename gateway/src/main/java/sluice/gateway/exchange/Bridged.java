package sluice.gateway.exchange;

import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.ReplyReader;
import sluice.codecs.memcached.bridge.ReplyWriter;
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

  Bridged() {}

  /** Sets who reads the server's reply, who writes the client's, and who works on it or null. */
  public void between(ReplyReader reader, ReplyWriter writer, ValueWork work) {
    this.reader = reader;
    this.writer = writer;
    this.work = work;
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
