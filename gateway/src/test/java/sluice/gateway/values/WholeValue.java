package sluice.gateway.values;

import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;

/** A pool's work that needs the whole value of a reply, and leaves it as it is. */
public class WholeValue implements ValueWork {
  @Override
  public final void prepare(Request request) {}

  @Override
  public final boolean gathers(Request request) {
    return false;
  }

  @Override
  public final Failure outbound(Request request, SliceList value) {
    return null;
  }

  @Override
  public final boolean gathers(Reply reply, Awaited awaited) {
    return true;
  }

  @Override
  public Failure inbound(Reply reply, Awaited awaited, SliceList value) {
    return null;
  }

  @Override
  public final void answered(Reply reply, Awaited awaited) {}
}
