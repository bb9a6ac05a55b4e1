package sluice.perf.simulation.system;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Client or server at one end of a connection, which does its work in one step for everything that
 * has arrived. A subclass says what it does.
 */
public abstract class SimulatedPeer implements SimulatedSocket.Endpoint {
  /** Why a connection broke: its end was inside a record of TLS. */
  protected static final String INSIDE_RECORD = "its end was cut: inside a record";

  private static final String NO_CLOSE_NOTIFY = "its end was cut: no close_notify";
  private static final byte[] NOTHING = {};

  private final Simulator simulator;
  private final @Nullable TlsEnd tls; // null: its bytes are sent as they are
  private final ArrayDeque<byte[]> sending = new ArrayDeque<>();
  private @Nullable SimulatedSocket socket; // null until it is attached
  private int offset; // in the first of the sending
  private long unsent;
  private boolean connected;
  private boolean halfClosing; // sends nothing more
  private boolean finishing; // closes when everything is sent
  private boolean over;
  private boolean reading = true;
  private boolean planned;
  private long busyUntil;

  /** A peer without a connection. */
  protected SimulatedPeer(Simulator simulator) {
    this(simulator, null);
  }

  /**
   * A peer without a connection.
   *
   * @param tls protects its connection; null for none
   */
  protected SimulatedPeer(Simulator simulator, @Nullable TlsEnd tls) {
    this.simulator = simulator;
    this.tls = tls;
  }

  /** The simulation. */
  protected final Simulator simulator() {
    return simulator;
  }

  /** Gives it the connection it asked for. */
  public final void connects(SimulatedSocket to) {
    socket = to;
  }

  /** Gives it a connection that is there. */
  public final void accepts(SimulatedSocket from) {
    socket = from;
    connected = true;
    from.owner(this);
    if (tls != null) {
      encrypted(tls::begin);
    }
  }

  /** The connection; null if there is none yet. */
  public final @Nullable SimulatedSocket socket() {
    return socket;
  }

  /** Whether bytes can be sent. */
  public final boolean isConnected() {
    return connected && !over;
  }

  /** Whether its connection has ended. */
  public final boolean isOver() {
    return over;
  }

  // --- what a subclass does
  // ------------------------------------------------------------------------

  /** The connection that it asked for is there, or has its TLS. */
  protected void begins() {
    // most have nothing to do
  }

  /** Bytes have arrived. */
  protected abstract void receives(byte[] bytes);

  /** The peer has sent everything it had to send. */
  protected void peerEnds() {
    finish();
  }

  /** The connection has ended otherwise than by this. */
  protected void breaks(IOException why) {
    // most have nothing to do
  }

  /** TLS records are to be sent: a subclass may send others instead. */
  protected byte[] transmits(byte[] records) {
    return records;
  }

  /** How long it takes to handle what has arrived, in nanoseconds. */
  protected abstract long thinks();

  // --- what it can do
  // ------------------------------------------------------------------------------

  /** Sends bytes when there is room; with TLS, not before {@link #begins}. */
  public final void send(byte[] bytes) {
    if (over || halfClosing) {
      return;
    }
    if (tls == null) {
      put(bytes);
    } else {
      encrypted(() -> tls.encrypt(bytes));
    }
  }

  private void put(byte[] bytes) {
    if (bytes.length > 0) {
      sending.add(bytes);
      unsent += bytes.length;
      flush();
    }
  }

  /** Step of TLS, which makes records. */
  private interface Step {
    void run() throws SSLException;
  }

  private void encrypted(Step step) {
    TlsEnd end = tls;
    if (end == null) {
      return;
    }
    try {
      step.run();
    } catch (SSLException e) {
      abort();
      breaks(e);
      return;
    }
    put(transmits(end.records()));
  }

  /** Bytes that the network has not taken yet. */
  public final long unsent() {
    return unsent;
  }

  /** Closes the connection when everything is sent. */
  public final void finish() {
    sayClosing();
    finishing = true;
    flush();
  }

  /**
   * Sends the beginning of these bytes and closes the connection, as a program that is ended. With
   * TLS, it ends inside a record, or between two, without a close_notify.
   */
  public final void breakOff(byte[] bytes, RandomGenerator random) {
    TlsEnd end = tls;
    byte[] all = bytes;
    if (end != null) {
      try {
        end.encrypt(bytes);
      } catch (SSLException e) {
        throw new IllegalStateException("no record could be made", e);
      }
      all = end.records();
    }
    put(Arrays.copyOf(all, random.nextInt(3) == 0 ? all.length : random.nextInt(all.length + 1)));
    finishing = true;
    flush();
  }

  /** Says that nothing more is sent, when everything is sent; still reads. */
  public final void halfClose() {
    sayClosing();
    halfClosing = true;
    flush();
  }

  private void sayClosing() {
    if (tls != null && !over && !halfClosing && !finishing) {
      encrypted(tls::close);
    }
  }

  /** Closes the connection at once, with a reset. */
  public final void abort() {
    over = true;
    if (socket != null && !socket.isClosed()) {
      socket.reset();
    }
  }

  /** Reads nothing, or goes on. */
  public final void reading(boolean whether) {
    reading = whether;
    if (whether) {
      plan();
    }
  }

  /** Handles nothing before that time. */
  public final void pauseUntil(long time) {
    busyUntil = Math.max(busyUntil, time);
  }

  private void flush() {
    SimulatedSocket to = socket;
    if (over || !connected || to == null || to.isClosed()) {
      return;
    }
    while (!sending.isEmpty()) {
      byte[] first = sending.getFirst();
      int taken = to.write(first, offset, first.length - offset);
      offset += taken;
      unsent -= taken;
      if (offset < first.length) {
        return;
      }
      sending.removeFirst();
      offset = 0;
    }
    if (halfClosing) {
      to.shutdownOutput();
    }
    if (finishing) {
      over = true;
      to.close();
    }
  }

  // --- what the network tells
  // ----------------------------------------------------------------------

  @Override
  public final void connected() {
    connected = true;
    if (tls == null) {
      begins();
    } else {
      encrypted(tls::begin);
    }
    flush();
  }

  @Override
  public final void broken(IOException why) {
    if (!over) {
      over = true;
      breaks(why);
    }
  }

  @Override
  public final void writable() {
    flush();
  }

  @Override
  public final void readable() {
    plan();
  }

  private void plan() {
    if (!planned && reading && !over) {
      planned = true;
      simulator.at(Math.max(busyUntil, simulator.now() + thinks()), this::handle);
    }
  }

  private void handle() {
    planned = false;
    SimulatedSocket from = socket;
    if (over || !reading || from == null || !from.isReadable()) {
      return;
    }
    if (simulator.now() < busyUntil) {
      plan();
      return;
    }
    byte[] bytes = from.readAll();
    if (bytes == null) {
      ended();
      return;
    }
    if (tls == null) {
      receives(bytes);
    } else {
      decrypt(tls, bytes);
    }
    if (from.isReadable()) {
      plan();
    }
  }

  private void ended() {
    if (tls == null) {
      peerEnds();
    } else if (!tls.isEnded()) {
      abort();
      breaks(new IOException(tls.isInsideRecord() ? INSIDE_RECORD : NO_CLOSE_NOTIFY));
    }
  }

  private void decrypt(TlsEnd end, byte[] bytes) {
    boolean before = end.isEstablished();
    boolean endedBefore = end.isEnded();
    byte[][] plain = {NOTHING};
    encrypted(() -> plain[0] = end.decrypt(bytes));
    if (!before && end.isEstablished() && !over) {
      begins();
    }
    if (plain[0].length > 0 && !over) {
      receives(plain[0]);
    }
    if (!endedBefore && end.isEnded() && !over) {
      peerEnds();
    }
  }
}
