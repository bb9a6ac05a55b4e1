package sluice.perf.simulation.system;

import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Client or server at one end of a connection, which does its work in one step for everything that
 * has arrived. A subclass says what it does.
 */
public abstract class SimulatedPeer implements SimulatedSocket.Endpoint {
  private final Simulator simulator;
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
    this.simulator = simulator;
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

  /** The connection is there. */
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

  /** How long it takes to handle what has arrived, in nanoseconds. */
  protected abstract long thinks();

  // --- what it can do
  // ------------------------------------------------------------------------------

  /** Sends bytes when there is room. */
  public final void send(byte[] bytes) {
    if (!over && !halfClosing && bytes.length > 0) {
      sending.add(bytes);
      unsent += bytes.length;
      flush();
    }
  }

  /** Bytes that the network has not taken yet. */
  public final long unsent() {
    return unsent;
  }

  /** Closes the connection when everything is sent. */
  public final void finish() {
    finishing = true;
    flush();
  }

  /** Says that nothing more is sent, when everything is sent; still reads. */
  public final void halfClose() {
    halfClosing = true;
    flush();
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
    begins();
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
      peerEnds();
    } else {
      receives(bytes);
      if (from.isReadable()) {
        plan();
      }
    }
  }
}
