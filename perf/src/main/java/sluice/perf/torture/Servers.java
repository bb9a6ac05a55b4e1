package sluice.perf.torture;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import sluice.load.process.Memcached;
import sluice.load.process.Ports;

/** The servers of a run, each a memcached behind a recorder. */
final class Servers implements AutoCloseable {
  /** Number of servers that keep their items for the whole run: their keys never move. */
  static final int STEADY = 2;

  /** Number of servers that are restarted, join pools and leave them. */
  static final int MOVING = 3;

  static final int COUNT = STEADY + MOVING;

  private final List<Recorder> recorders = new ArrayList<>();

  Servers(EventLoop loop, Ports ports, Authority authority, Findings findings) throws Exception {
    try {
      for (int i = 0; i < COUNT; i++) {
        Recorder recorder = new Recorder(i, new Memcached(ports.next()), loop, ports, findings);
        recorders.add(recorder);
        recorder.start(authority.server("server"));
      }
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  Recorder get(int number) {
    return recorders.get(number);
  }

  List<Recorder> all() {
    return recorders;
  }

  /** How the configuration writes a server: its identity on the ring. */
  String name(int number, boolean encrypted) {
    return "127.0.0.1:" + recorders.get(number).port(encrypted);
  }

  @Override
  public void close() {
    for (Recorder recorder : recorders) {
      recorder.server().close();
    }
  }
}
