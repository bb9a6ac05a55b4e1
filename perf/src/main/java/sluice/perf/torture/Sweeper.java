package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import sluice.perf.torture.Sent.Write;

/**
 * Takes keys that are no longer in use out of the journals, and off the servers that never forget,
 * so that these never have to put out one that is.
 */
final class Sweeper implements Runnable {
  private final ConcurrentLinkedQueue<String> retired;
  private final History history;
  private final Servers servers;
  private List<String> waiting = List.of();

  Sweeper(Ledger ledger, History history, Servers servers) {
    this.retired = ledger.retired();
    this.history = history;
    this.servers = servers;
  }

  /** Sweeps what was retired before the last time: its last requests are answered by now. */
  @Override
  public void run() {
    List<String> keys = waiting;
    waiting = new ArrayList<>();
    for (String key = retired.poll(); key != null; key = retired.poll()) {
      waiting.add(key);
    }
    StringBuilder[] deletes = new StringBuilder[Servers.STEADY];
    for (int i = 0; i < deletes.length; i++) {
      deletes[i] = new StringBuilder();
    }
    for (String key : keys) {
      if (Setting.Keys.of(key).steady) {
        for (Destination.Place place :
            history.last().destination(Write.DELETE, "text", key).home()) {
          deletes[place.server()].append("delete ").append(key).append(" noreply\r\n");
        }
      }
      for (String name : Setting.names(key)) {
        servers.all().forEach(recorder -> recorder.journal().forget(name));
      }
    }
    for (int i = 0; i < deletes.length; i++) {
      if (!deletes[i].isEmpty()) {
        send(i, deletes[i].append("mn\r\n").toString());
      }
    }
  }

  private void send(int server, String commands) {
    try (Socket socket = new Socket()) {
      socket.connect(servers.get(server).server().address(), 1000);
      socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(5)); // it may just be stopped
      OutputStream out = socket.getOutputStream();
      out.write(commands.getBytes(ISO_8859_1));
      socket.getInputStream().readNBytes(4);
    } catch (IOException e) {
      // what stays there takes room, no more
    }
  }
}
