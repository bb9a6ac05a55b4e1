package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a client that sends requests in text, without TLS, and sends the next when it has
 * the replies to all before.
 */
abstract class RequestConnection extends CheckedConnection {
  private final World world;
  private final RandomGenerator random;
  private final PendingRequests pending;

  /**
   * A connection that is not there yet.
   *
   * @param name of the client, for findings
   * @param random of the client
   */
  RequestConnection(World world, String name, InetSocketAddress gateway, RandomGenerator random) {
    super(world, name, gateway, null);
    this.world = world;
    this.random = random;
    pending = new PendingRequests(world.tally());
  }

  /** All requests have their replies. */
  abstract void answered();

  /** It is over, and its replies did not come. */
  abstract void closed();

  final boolean waits() {
    return !pending.isEmpty();
  }

  /** The request is about to be sent, as these bytes. */
  final byte[] begin(Request request) {
    return begin(List.of(request));
  }

  /** The same of several. */
  final byte[] begin(List<Request> requests) {
    StringBuilder text = new StringBuilder();
    for (Request request : requests) {
      pending.add(request);
      text.append(request.text());
    }
    world.countRequests(requests.size());
    return text.toString().getBytes(ISO_8859_1);
  }

  /** A set of the key's next value. */
  static Request set(CheckedKey key, int length) {
    String value = key.next(length);
    key.writes(value);
    String line = "set " + key.name() + ' ' + key.flags() + " 0 " + value.length() + "\r\n";
    return Request.store(line + value + "\r\n", key, Set.of("STORED"), Set.of("STORED"));
  }

  @Override
  final @Nullable String waitsFor() {
    return pending.first();
  }

  @Override
  final boolean isReading() {
    return pending.isReading();
  }

  @Override
  protected final void receives(byte[] bytes) {
    hears();
    String wrong = pending.receive(bytes, this::isExcused);
    if (wrong != null) {
      fails(wrong);
    } else if (pending.isEmpty()) {
      answered();
    }
  }

  @Override
  final void lost() {
    finish();
    pending.lost();
    closed();
  }

  @Override
  protected final long thinks() {
    return random.nextInt(5_000, 60_000);
  }
}
