package sluice.gateway.samples;

import io.vertx.core.json.JsonObject;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slow log and access log: one JSON object a line. The loggers are named {@value #SLOW} and {@value
 * #ACCESS}; logback decides where their lines go. A line has keys and no values.
 */
final class RequestLog {
  static final String SLOW = "sluice.log.slow";
  static final String ACCESS = "sluice.log.access";

  private static final Logger SLOW_LOG = LoggerFactory.getLogger(SLOW);
  private static final Logger ACCESS_LOG = LoggerFactory.getLogger(ACCESS);
  private static final double NANOS_PER_MILLI = 1e6;

  private RequestLog() {}

  static void write(Sample sample) {
    if (sample.slow) {
      SLOW_LOG.info(line("slow", sample));
    }
    if (sample.access) {
      ACCESS_LOG.info(line("access", sample));
    }
  }

  static String line(String log, Sample sample) {
    JsonObject line =
        new JsonObject()
            .put("log", log)
            .put("time", Instant.ofEpochMilli(sample.epochMillis).toString())
            .put("listener", sample.listener);
    SocketAddress client = sample.client;
    if (client != null) { // the client may be gone
      line.put("client", address(client));
    }
    line.put("command", sample.command.label()).put("outcome", sample.outcome.label());
    if (sample.note.keys() > 0) {
      line.put("key", KeyText.of(sample.note.key(), sample.note.length()))
          .put("keys", sample.note.keys())
          .put("pool", sample.note.pool());
    }
    if (sample.server != null) {
      line.put("server", sample.server);
    }
    return line.put("millis", millis(sample.requestNanos))
        .put("serverMillis", millis(sample.serverNanos))
        .put("ownMillis", millis(Math.max(0, sample.requestNanos - sample.serverNanos)))
        .encode();
  }

  /** Milliseconds, rounded to a microsecond. */
  private static double millis(long nanos) {
    return Math.round(nanos / NANOS_PER_MILLI * 1e3) / 1e3;
  }

  private static String address(SocketAddress client) {
    if (client instanceof InetSocketAddress inet && inet.getAddress() != null) {
      String host = inet.getAddress().getHostAddress();
      return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + inet.getPort();
    }
    return "unix"; // the client's address is empty there
  }
}
