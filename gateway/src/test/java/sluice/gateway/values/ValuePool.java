package sluice.gateway.values;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import sluice.gateway.fixtures.RealMemcached;

/** A gateway with work on values, before real memcacheds of its own. */
final class ValuePool extends TestBed {
  /** One server; settings are YAML of the pool. */
  ValuePool(String settings) throws TimeoutException {
    this(1, settings);
  }

  ValuePool(int count, String settings) throws TimeoutException {
    this(IntStream.range(0, count).mapToObj(i -> RealMemcached.start()).toList(), settings);
  }

  private ValuePool(List<RealMemcached> servers, String settings) throws TimeoutException {
    super(
        servers,
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {timeout: 5s, servers: [%s], %s}}
        """
            .formatted(written(servers), settings));
  }

  /** A new connection to the first server. */
  Talk server() throws IOException {
    return server(0);
  }

  /** Bytes of values at a stage of compression. */
  long compressed(String stage) {
    String series = "sluice_compression_bytes_total{stage=\"" + stage + "\"} ";
    return gateway()
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(series.length())))
        .sum();
  }
}
