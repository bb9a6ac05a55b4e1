package sluice.gateway.tls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;

/** A socket that can hold its bytes back, and send them together. */
public final class HoldingSocket extends Socket {
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private boolean holds;

  /** Holds what is written from now on. */
  public void hold() {
    holds = true;
  }

  /** Sends what was held, and holds no more. */
  public void sendAll() throws IOException {
    holds = false;
    super.getOutputStream().write(held.toByteArray());
    held.reset();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    OutputStream out = super.getOutputStream();
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        (holds ? held : out).write(bytes, from, length);
      }
    };
  }
}
