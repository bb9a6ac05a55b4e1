package sluice.testkit.misbehaving;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.testkit.Bytes;

/** Output of one connection of a {@link MisbehavingServer}, which adds faults to replies. */
final class FaultyReplies {
  /** Exception that ends the connection's thread after its last bytes. */
  static final class Closed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static final byte[] NEVER_ASKED =
      new Bytes().ascii("VALUE never-asked 0 1\r\nx\r\nEND\r\n").toArray();
  private static final int SINGLE_BYTES_AT_MOST = 300;

  private final Faults faults;
  private final Socket socket;
  private final OutputStream out;
  private final Random random;
  private final Bytes waiting = new Bytes();
  private boolean stalled;

  FaultyReplies(Faults faults, Socket socket, Random random) throws IOException {
    this.faults = faults;
    this.socket = socket;
    this.out = socket.getOutputStream();
    this.random = random;
  }

  /**
   * Sends one whole reply.
   *
   * @param identified whether it carries a token that distinguishes a second one from the reply to
   *     the next request
   * @param spared whether it never gets a fault
   */
  void reply(byte[] reply, boolean binary, boolean identified, boolean spared) {
    if (stalled) {
      return;
    }
    Fault fault = spared ? null : faults.draw(random);
    byte[] other = faults.swap(binary, reply, fault == Fault.MIX_UP);
    if (fault == null) {
      waiting.bytes(reply);
      if (waiting.length() > 64 * 1024) {
        flush();
      }
      return;
    }
    faults.count(fault);
    try {
      act(fault, reply, other, binary, identified);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void act(
      Fault fault, byte[] reply, byte @Nullable [] other, boolean binary, boolean identified)
      throws IOException {
    switch (fault) {
      case STALL -> {
        flush();
        pause(faults.stallMillis());
        waiting.bytes(reply);
      }
      case STALL_FOREVER -> {
        flush();
        stalled = true;
      }
      case CLOSE_MID_REPLY -> {
        waiting.bytes(reply, 0, random.nextInt(reply.length));
        flush();
        socket.setSoLinger(true, 0);
        socket.close();
        throw new Closed();
      }
      case TRUNCATE_AND_CLOSE -> {
        waiting.bytes(reply, 0, reply.length == 1 ? 1 : 1 + random.nextInt(reply.length - 1));
        flush();
        socket.shutdownOutput();
        throw new Closed();
      }
      case ANSWER_TWICE -> waiting.bytes(reply).bytes(identified ? reply : NEVER_ASKED);
      case GARBAGE -> waiting.bytes(binary ? binaryGarbage(reply) : textGarbage(reply));
      case SINGLE_BYTES -> {
        flush();
        int single = Math.min(reply.length, SINGLE_BYTES_AT_MOST);
        for (int i = 0; i < single; i++) {
          out.write(reply[i]);
          out.flush();
        }
        waiting.bytes(reply, single, reply.length);
      }
      case MIX_UP -> waiting.bytes(other == null ? reply : other);
    }
  }

  private byte[] textGarbage(byte[] reply) {
    Bytes garbage = new Bytes();
    switch (random.nextInt(6)) {
      case 0 -> garbage.int8(0x90 + random.nextInt(0x60)).bytes(noise());
      case 1 -> garbage.ascii("GARBAGE\r\n");
      case 2 -> garbage.bytes(NEVER_ASKED);
      case 3 -> garbage.ascii("VALUE never-asked 0 99999999999\r\n");
      case 4 -> garbage.ascii("VA -1 Onever-asked\r\n");
      default -> {
        // Only the two bytes after the value of a hit are wrong.
        garbage.bytes(reply);
        int end = reply.length;
        int tail =
            reply[0] == 'V' && reply[1] == 'A' && reply[2] == 'L' ? "\r\nEND\r\n".length() : 2;
        if (reply[0] == 'V' && reply[1] == 'A' && end > tail + 2) {
          garbage.array[garbage.end - tail] = 'X';
          garbage.array[garbage.end - tail + 1] = 'X';
        } else {
          garbage.clear().ascii("GARBAGE\r\n");
        }
      }
    }
    return garbage.toArray();
  }

  private byte[] binaryGarbage(byte[] reply) {
    Bytes garbage = new Bytes().bytes(reply);
    switch (random.nextInt(5)) {
      case 0 -> garbage.clear().int8(random.nextInt(0x80)).bytes(noise());
      case 1 -> garbage.array[0] = (byte) 0x80;
      case 2 -> garbage.array[1] ^= 0x40;
      case 3 -> {
        for (int i = 12; i < 16; i++) {
          garbage.array[i] ^= (byte) (0x80 | random.nextInt(0x80));
        }
      }
      default -> {
        for (int i = 8; i < 12; i++) {
          garbage.array[i] = (byte) 0xff;
        }
      }
    }
    return garbage.toArray();
  }

  private byte[] noise() {
    byte[] noise = new byte[random.nextInt(200)];
    random.nextBytes(noise);
    return noise;
  }

  void flush() {
    try {
      out.write(waiting.array, waiting.start, waiting.length());
      out.flush();
      waiting.clear();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Closed();
    }
  }
}
