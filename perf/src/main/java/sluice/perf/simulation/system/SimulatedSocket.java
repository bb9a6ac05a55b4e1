package sluice.perf.simulation.system;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** One end of a simulated TCP connection. */
public final class SimulatedSocket {
  /** Owner of an end. It is called at any time, and should handle what happened soon. */
  public interface Endpoint {
    /** The connection is there. */
    void connected();

    /** The connection could not be made, or is broken. */
    void broken(IOException why);

    /** Bytes, or the peer's end, can be read. */
    void readable();

    /** The peer has made room for more bytes. */
    void writable();
  }

  /** Acknowledgement that the peer has read bytes, on its way. */
  private record Read(long arrives, int count) {}

  /** What {@link #read} says at the end of the stream. */
  public static final int END = -1;

  /** A write is cut into segments in its first bytes: to cut all of it would teach little more. */
  private static final int MOST_CUT = 1_000;

  private final SimulatedNetwork network;
  private final Simulator simulator;
  private final int number;
  private final InetSocketAddress local;
  private final InetSocketAddress remote;
  private final SimulatedNetwork.Manner manner;
  private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
  private @Nullable Endpoint endpoint; // null until it is accepted
  private @Nullable SimulatedSocket peer; // null until it is connected
  private @Nullable IOException brokenEarly; // before it was accepted
  private int offset; // in the first of the arrived
  private int available;
  private final ArrayDeque<Read> acknowledged = new ArrayDeque<>();
  private final CRC32 sum = new CRC32();
  private int unread; // bytes that this end has sent, and that are not known to be read
  private boolean waitsForRoom;
  private long lastArrival;
  private long stalledUntil; // nothing from this end arrives before
  private boolean endArrived;
  private boolean endSent;
  private boolean full; // the last write did not take everything
  private boolean lost;
  private boolean closed;
  private boolean cut;

  SimulatedSocket(
      SimulatedNetwork network,
      int number,
      InetSocketAddress local,
      InetSocketAddress remote,
      SimulatedNetwork.Manner manner,
      @Nullable Endpoint endpoint) {
    this.network = network;
    this.simulator = network.simulator();
    this.number = number;
    this.local = local;
    this.remote = remote;
    this.manner = manner;
    this.endpoint = endpoint;
  }

  /** The number of the connection. */
  public int number() {
    return number;
  }

  /** The address of this end. */
  public InetSocketAddress local() {
    return local;
  }

  /** The address of the other end. */
  public InetSocketAddress remote() {
    return remote;
  }

  boolean isOf(String host) {
    return local.getHostString().equals(host) || remote.getHostString().equals(host);
  }

  /** Whether this end is closed. */
  public boolean isClosed() {
    return closed;
  }

  /** Whether the two ends no longer reach each other, because a host has vanished. */
  public boolean isLost() {
    return lost;
  }

  /** Sets the owner of an accepted end. */
  public void owner(Endpoint of) {
    endpoint = of;
    if (available > 0 || endArrived) {
      of.readable();
    }
    if (brokenEarly != null) {
      of.broken(brokenEarly);
    }
  }

  void join(SimulatedSocket other) {
    peer = other;
  }

  void connected() {
    if (!closed && !lost && endpoint != null) {
      endpoint.connected();
    }
  }

  void refused(IOException why) {
    if (!closed && endpoint != null) {
      closed = true;
      network.closed(this);
      endpoint.broken(why);
    }
  }

  // --- sending
  // -------------------------------------------------------------------------------------

  /**
   * Sends bytes, as many as there is room for.
   *
   * @return how many were taken
   */
  public int write(byte[] bytes, int from, int length) {
    SimulatedSocket to = peer;
    if (closed || endSent || to == null) {
      throw new IllegalStateException("found a write to a closed connection");
    }
    acknowledge();
    int taken = Math.min(length, manner.window() - unread);
    if (manner.choppy() && taken > 1 && network.random().nextInt(4) == 0) {
      taken = network.random().nextInt(1, taken + 1);
    }
    full = taken < length;
    int at = from;
    int left = taken;
    while (left > 0) {
      int part = manner.choppy() && at - from < MOST_CUT ? part(left) : left;
      byte[] segment = Arrays.copyOfRange(bytes, at, at + part);
      at += part;
      left -= part;
      unread += part;
      send(() -> to.arrived(segment));
    }
    if (full && unread < manner.window()) { // the choppy network took a part only: it goes on soon
      simulator.after(1_000, this::roomAgain);
    } else if (full) {
      awaitRoom();
    }
    return Math.max(0, taken);
  }

  /** The length of a segment: often short, and sometimes long. */
  private int part(int left) {
    int most = network.random().nextBoolean() ? Math.min(left, 40) : left;
    return network.random().nextInt(1, most + 1);
  }

  private void acknowledge() {
    while (!acknowledged.isEmpty() && acknowledged.getFirst().arrives() <= simulator.now()) {
      unread -= acknowledged.removeFirst().count();
    }
  }

  private void awaitRoom() {
    if (!waitsForRoom && !acknowledged.isEmpty()) {
      waitsForRoom = true;
      simulator.at(
          acknowledged.getFirst().arrives(),
          () -> {
            waitsForRoom = false;
            acknowledge();
            roomAgain();
          });
    }
  }

  private void send(Runnable arrival) {
    if (lost) {
      return;
    }
    long jitter = network.random().nextLong(manner.jitter());
    long at = Math.max(simulator.now() + manner.delay() + jitter, stalledUntil);
    lastArrival = Math.max(lastArrival, at);
    simulator.at(lastArrival, arrival);
  }

  private void roomAgain() {
    if (full && !closed && endpoint != null) {
      full = false;
      endpoint.writable();
    }
  }

  private void arrived(byte[] segment) {
    if (lost) {
      return;
    }
    if (closed) {
      reset(); // as TCP answers what is sent to a closed socket
      return;
    }
    if (network.isEncrypted(this)) {
      simulator.trace("encrypted bytes", number, segment.length);
    } else {
      sum.reset();
      sum.update(segment);
      simulator.trace("bytes", number, sum.getValue());
    }
    arrived.add(segment);
    available += segment.length;
    if (endpoint != null) {
      endpoint.readable();
    }
  }

  /** Sends the end of the stream; this end can still read. */
  public void shutdownOutput() {
    SimulatedSocket to = peer;
    if (!closed && !endSent && to != null) {
      endSent = true;
      send(to::endArrived);
    }
  }

  private void endArrived() {
    if (lost || closed) {
      return;
    }
    simulator.trace("end", number, 0);
    endArrived = true;
    if (endpoint != null) {
      endpoint.readable();
    }
  }

  /** Closes this end. The peer gets a reset if there are bytes that were not read here. */
  public void close() {
    if (closed) {
      return;
    }
    if (available > 0) {
      reset();
    } else {
      shutdownOutput();
      closed = true;
      network.closed(this);
    }
  }

  /** Closes this end, and resets the connection. */
  public void reset() {
    boolean was = closed;
    closed = true;
    network.closed(this);
    arrived.clear();
    available = 0;
    SimulatedSocket to = peer;
    if (to != null && (!was || !to.closed)) {
      send(() -> to.broken("Connection reset by peer"));
    }
  }

  /** Breaks this end. */
  private void broken(String why) {
    if (closed || lost) {
      return;
    }
    simulator.trace("reset", number, 0);
    closed = true;
    network.closed(this);
    IOException broken = new IOException(why);
    if (endpoint == null) {
      brokenEarly = broken;
    } else {
      endpoint.broken(broken);
    }
  }

  /** Resets both ends, as something between them may do. */
  public void cut() {
    SimulatedSocket other = peer;
    simulator.trace("cut", number, 0);
    cut = true;
    if (other != null) {
      other.cut = true;
      other.broken("Connection reset by peer");
    }
    broken("Connection reset by peer");
  }

  /** Whether it was cut. */
  public boolean wasCut() {
    return cut;
  }

  /** Nothing arrives at either end any more. The kernels give up later. */
  public void lose() {
    if (lost) {
      return;
    }
    loseHere();
    if (peer != null) {
      peer.loseHere();
    }
  }

  private void loseHere() {
    lost = true;
    simulator.after(
        SimulatedNetwork.GIVE_UP_NANOS,
        () -> {
          lost = false; // to say so
          broken("Connection timed out");
          lost = true;
        });
  }

  /** Nothing that this end sends arrives for that many nanoseconds. */
  public void stall(long nanos) {
    stalledUntil = simulator.now() + nanos;
  }

  // --- receiving
  // -----------------------------------------------------------------------------------

  /** The number of bytes that can be read. */
  public int available() {
    return available;
  }

  /** Whether the peer's end has arrived. */
  boolean hasEnd() {
    return endArrived;
  }

  /** Whether {@link #read} returns something. */
  public boolean isReadable() {
    return available > 0 || endArrived;
  }

  /**
   * Reads bytes that have arrived.
   *
   * @return how many; 0 if none are there, {@link #END} at the end of the stream
   */
  public int read(ByteBuf into) {
    int room = into.writableBytes();
    if (manner.choppy() && room > 1 && network.random().nextInt(4) == 0) {
      room = network.random().nextInt(1, Math.min(room, 400) + 1);
    }
    int count = 0;
    while (count < room && available > 0) {
      byte[] first = arrived.getFirst();
      int part = Math.min(first.length - offset, room - count);
      into.writeBytes(first, offset, part);
      took(part, first);
      count += part;
    }
    hasRead(count);
    return count == 0 && endArrived && available == 0 ? END : count;
  }

  /** Reads all bytes that have arrived; null at the end of the stream. */
  public byte @Nullable [] readAll() {
    if (available == 0 && endArrived) {
      return null;
    }
    byte[] all = new byte[available];
    int count = 0;
    while (available > 0) {
      byte[] first = arrived.getFirst();
      int part = first.length - offset;
      System.arraycopy(first, offset, all, count, part);
      took(part, first);
      count += part;
    }
    hasRead(count);
    return all;
  }

  private void took(int part, byte[] first) {
    offset += part;
    available -= part;
    if (offset == first.length) {
      arrived.removeFirst();
      offset = 0;
    }
  }

  private void hasRead(int count) {
    SimulatedSocket from = peer;
    if (count > 0 && from != null) {
      // the window opens when the acknowledgement arrives
      from.acknowledged.add(new Read(simulator.now() + manner.delay(), count));
      if (from.full) {
        from.awaitRoom();
      }
    }
  }

  @Override
  public String toString() {
    return "connection "
        + number
        + " of "
        + local
        + " with "
        + remote
        + ", "
        + available
        + " bytes to read, "
        + unread
        + " bytes not read there"
        + (endArrived ? ", end arrived" : "")
        + (endSent ? ", end sent" : "");
  }
}
