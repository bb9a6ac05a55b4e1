package sluice.gateway.exchange;

import sluice.codecs.memcached.bridge.Reply;
import sluice.gateway.values.Value;

/** Looks at values that servers have sent, which may stand for others that are asked for next. */
public interface Continuation {
  /**
   * Looks at the value of a reply, which is whole.
   *
   * @param exchange whose reply it is, and which somebody waits for
   * @param reply what goes with the value; its flags may be changed
   * @param value borrowed; it is empty if the result is not null
   * @return what brings the reply in the place of this one, once it is told to {@link
   *     Gathering#begin}; the caller owns it until then, and may cancel it. Null if the value is
   *     what was asked for
   */
  Gathering of(Exchange exchange, Reply reply, Value value);
}
