package sluice.perf.simulation.system;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * TLS of a {@link SimulatedPeer}, without sockets or threads. Java's engine makes and reads the
 * records, whose lengths alone are the same in each run of a seed.
 */
public final class TlsEnd {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private final ByteBuffer record; // one that the engine makes
  private final ByteBuffer content; // of one that it reads
  private final ByteArrayOutputStream toSend = new ByteArrayOutputStream();
  private ByteBuffer received = NOTHING; // from the first record that is not complete
  private boolean begun;

  /**
   * An end that has not begun.
   *
   * @param engine not used before
   */
  public TlsEnd(SSLEngine engine) {
    this.engine = engine;
    record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    content = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
  }

  /** Begins the handshake. */
  void begin() throws SSLException {
    engine.beginHandshake();
    begun = true;
    advance(new ByteArrayOutputStream());
  }

  /** Whether the handshake is complete. */
  boolean isEstablished() {
    return begun && engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING;
  }

  /** Whether the peer has sent a close_notify. */
  boolean isEnded() {
    return engine.isInboundDone();
  }

  /** Whether a record has begun to arrive, and its end is missing. */
  boolean isInsideRecord() {
    return received.hasRemaining();
  }

  /** Encrypts bytes, after the handshake. An end that has said its close_notify drops them. */
  void encrypt(byte[] bytes) throws SSLException {
    ByteBuffer plain = ByteBuffer.wrap(bytes);
    while (plain.hasRemaining() && !engine.isOutboundDone()) {
      wrap(plain);
    }
  }

  /** Makes a close_notify. */
  void close() throws SSLException {
    engine.closeOutbound();
    while (!engine.isOutboundDone()) {
      wrap(NOTHING);
    }
  }

  /** Reads what has arrived; returns the bytes that were decrypted. */
  byte[] decrypt(byte[] bytes) throws SSLException {
    ByteBuffer all = ByteBuffer.allocate(received.remaining() + bytes.length);
    received = all.put(received).put(bytes).flip();
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    advance(plain);
    return plain.toByteArray();
  }

  /** Takes the records that were made since the last call. */
  byte[] records() {
    byte[] records = toSend.toByteArray();
    toSend.reset();
    return records;
  }

  private void advance(ByteArrayOutputStream plain) throws SSLException {
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> {
          for (Runnable task = engine.getDelegatedTask();
              task != null;
              task = engine.getDelegatedTask()) {
            task.run();
          }
        }
        case NEED_WRAP -> {
          if (engine.isOutboundDone()) {
            return;
          }
          wrap(NOTHING);
        }
        default -> {
          if (!received.hasRemaining() || !unwrap(plain)) {
            return;
          }
        }
      }
    }
  }

  private void wrap(ByteBuffer plain) throws SSLException {
    record.clear();
    engine.wrap(plain, record);
    toSend.write(record.array(), 0, record.position());
  }

  /** Reads a record; returns whether there was one. */
  private boolean unwrap(ByteArrayOutputStream plain) throws SSLException {
    content.clear();
    SSLEngineResult result = engine.unwrap(received, content);
    plain.write(content.array(), 0, content.position());
    return switch (result.getStatus()) {
      case OK -> true;
      case BUFFER_UNDERFLOW, CLOSED -> false;
      case BUFFER_OVERFLOW -> throw new SSLException("a record is longer than the engine says");
    };
  }
}
