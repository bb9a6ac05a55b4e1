package sluice.gateway.discover;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.dns.DefaultDnsRecordDecoder;
import java.util.Locale;

/**
 * One SRV record (RFC 2782).
 *
 * <pre>
 *   0          2        4      6
 *   +----------+--------+------+--------+
 *   | priority | weight | port | target |     big-endian, target as a domain name
 *   +----------+--------+------+--------+
 * </pre>
 *
 * @param priority the lowest number is used first
 * @param weight the share among those of one priority; 0 for next to nothing
 * @param port of the service
 * @param target the name of its host, in lower case and without the dot at its end; empty where the
 *     service is declared not to exist
 */
record ServiceRecord(int priority, int weight, int port, String target) {
  private static final int TARGET = 6;

  /**
   * Parses the data of a record. Borrows content, and moves its index.
   *
   * @throws RuntimeException if it is invalid: Netty's decoder of names throws various types
   */
  static ServiceRecord read(ByteBuf content) {
    int start = content.readerIndex();
    int priority = content.getUnsignedShort(start);
    int weight = content.getUnsignedShort(start + 2);
    int port = content.getUnsignedShort(start + 4);
    content.readerIndex(start + TARGET);
    String target = DefaultDnsRecordDecoder.decodeName(content).toLowerCase(Locale.ROOT);
    return new ServiceRecord(priority, weight, port, target.substring(0, target.length() - 1));
  }
}
