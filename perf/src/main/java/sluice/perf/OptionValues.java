package sluice.perf;

import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import picocli.CommandLine.ITypeConverter;
import sluice.config.model.Address;
import sluice.gateway.cli.CommandLines;

/** Values that options of the programs in this module have. */
public final class OptionValues {
  private OptionValues() {}

  /** A count; it may be 0. */
  public static final class NumberConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      if (!value.matches("[0-9]{1,18}")) {
        throw CommandLines.expected("a whole number");
      }
      return Long.valueOf(Long.parseLong(value));
    }
  }

  /** A count that is not 0. */
  public static final class PositiveNumberConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      if (!value.matches("0*[1-9][0-9]{0,17}")) {
        throw CommandLines.expected("a whole number above 0");
      }
      return Long.valueOf(Long.parseLong(value));
    }
  }

  /** A count that fits an int; it may be 0. */
  public static final class CountConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      if (!value.matches("[0-9]{1,9}")) {
        throw CommandLines.expected("0 to 999999999");
      }
      return Integer.valueOf(value);
    }
  }

  /** A count that fits an int and is not 0. */
  public static final class PositiveCountConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      if (!value.matches("0*[1-9][0-9]{0,8}")) {
        throw CommandLines.expected("1 to 999999999");
      }
      return Integer.valueOf(value);
    }
  }

  /** A port to listen on. */
  public static final class PortConverter implements ITypeConverter<Integer> {
    private static final int MOST = 65_535;

    @Override
    public Integer convert(String value) {
      int port = value.matches("[0-9]{1,5}") ? Integer.parseInt(value) : 0;
      if (port < 1 || port > MOST) {
        throw CommandLines.expected("1 to " + MOST);
      }
      return port;
    }
  }

  /** What chance begins with. */
  public static final class SeedConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      try {
        return Long.valueOf(Long.parseLong(value));
      } catch (NumberFormatException e) {
        throw CommandLines.expected("a whole number");
      }
    }
  }

  /** A time, or a number of something in a time; it may be 0. */
  public static final class DecimalConverter implements ITypeConverter<Double> {
    @Override
    public Double convert(String value) {
      double number;
      try {
        number = Double.parseDouble(value);
      } catch (NumberFormatException e) {
        number = Double.NaN;
      }
      if (!(number >= 0 && number < Double.POSITIVE_INFINITY)) {
        throw CommandLines.expected("0 or more");
      }
      return Double.valueOf(number);
    }
  }

  /** A process; what it is called in /proc. */
  public static final class PidConverter implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
      if (!value.matches("[0-9]{1,9}")) {
        throw CommandLines.expected("the number of a process");
      }
      return value;
    }
  }

  /** A server's address. */
  public static final class TcpConverter implements ITypeConverter<InetSocketAddress> {
    @Override
    public InetSocketAddress convert(String value) {
      return Address.parse(value)
          .filter(Address.Tcp.class::isInstance)
          .map(address -> tcp((Address.Tcp) address))
          .orElseThrow(() -> CommandLines.expected("a host and a port, such as 127.0.0.1:11211"));
    }
  }

  /** A server's address, which may be a unix socket. */
  public static final class AddressConverter implements ITypeConverter<SocketAddress> {
    @Override
    public SocketAddress convert(String value) {
      Address address =
          Address.parse(value)
              .orElseThrow(
                  () ->
                      CommandLines.expected(
                          "a host and a port, such as 127.0.0.1:11211, or unix:/PATH"));
      return address instanceof Address.Unix unix
          ? new DomainSocketAddress(unix.path())
          : tcp((Address.Tcp) address);
    }
  }

  private static InetSocketAddress tcp(Address.Tcp address) {
    return new InetSocketAddress(address.host(), address.port());
  }
}
