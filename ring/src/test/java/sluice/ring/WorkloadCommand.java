package sluice.ring;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import sluice.config.model.Address;
import sluice.gateway.cli.CommandLines;

/** {@code ring/workload}: writes to a ring that runs, or to one of its own. */
@Command(
    name = "workload",
    customSynopsis =
        "workload [--nodes HOST:PORT,HOST:PORT] [--rows N] [--size BYTES] [--compressible PERCENT]"
            + " [--parallel N] [--level LEVEL] [--rounds N]",
    description = {
      "Writes by the first of the nodes of a ring that is running, or to two nodes of its own",
      "behind a relay. Prints one line for each round: rows and bytes per second, latency."
    },
    exitCodeList = {"0:all was written", "1:a write failed", "2:the command line is wrong"})
final class WorkloadCommand implements Callable<Integer> {
  private final PrintStream out;

  @Option(
      names = "--nodes",
      paramLabel = "HOST:PORT,HOST:PORT",
      split = ",",
      converter = NodeConverter.class,
      description = "all nodes of a ring; one of its own unless they are given")
  private List<InetSocketAddress> nodes = List.of();

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "10000",
      converter = PositiveCountConverter.class,
      description = "default: 10000")
  private int rows;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "1024",
      converter = CountConverter.class,
      description = "of a value (default: 1024)")
  private int size;

  @Option(
      names = "--compressible",
      paramLabel = "PERCENT",
      defaultValue = "50",
      converter = PercentConverter.class,
      description = "of a value that repeats (default: 50)")
  private int compressible;

  @Option(
      names = "--parallel",
      paramLabel = "N",
      defaultValue = "32",
      converter = PositiveCountConverter.class,
      description = "writes that are under way at a time (default: 32)")
  private int parallel;

  @Option(
      names = "--level",
      paramLabel = "LEVEL",
      defaultValue = "ALL",
      converter = LevelConverter.class,
      description = "of consistency (default: ALL)")
  private ConsistencyLevel level;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      converter = CountConverter.class,
      description = "default: 3")
  private int rounds;

  private WorkloadCommand(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] arguments) {
    System.exit(commandLine(System.out, System.err).execute(arguments));
  }

  static CommandLine commandLine(PrintStream out, PrintStream err) {
    return CommandLines.of(CommandSpec.forAnnotatedObject(new WorkloadCommand(out)), out, err);
  }

  @Override
  public Integer call() throws Exception {
    Workload workload = workload();
    if (!nodes.isEmpty()) {
      List<Coordinator> coordinators = nodes.stream().map(Coordinator::new).toList();
      print(workload, coordinators);
      coordinators.forEach(Coordinator::close);
      return CommandLines.FINE;
    }
    CassandraRelease release = CassandraRelease.underTest().findFirst().orElseThrow();
    try (Ring ring = Ring.behind(release, Ring.newDirectory("workload"), Relay::new)) {
      ring.form(Framing.SAME);
      print(workload, List.of(ring.coordinator(0), ring.coordinator(1)));
    }
    return CommandLines.FINE;
  }

  /** What is written, by the command line. */
  Workload workload() {
    return new Workload(rows, size, compressible, parallel, level);
  }

  /** Where to; empty for a ring of its own. */
  List<InetSocketAddress> nodes() {
    return nodes;
  }

  private void print(Workload workload, List<Coordinator> coordinators) {
    Workload.prepare(coordinators);
    for (int round = 0; round < rounds; round++) {
      out.println(workload.run(coordinators.get(0)));
    }
  }

  static final class NodeConverter implements ITypeConverter<InetSocketAddress> {
    @Override
    public InetSocketAddress convert(String value) {
      return Address.parse(value)
          .filter(Address.Tcp.class::isInstance)
          .map(Address.Tcp.class::cast)
          .map(address -> new InetSocketAddress(address.host(), address.port()))
          .orElseThrow(() -> CommandLines.expected("hosts and ports with commas between them"));
    }
  }

  static final class CountConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      if (!value.matches("[0-9]{1,9}")) {
        throw CommandLines.expected("0 to 999999999");
      }
      return Integer.valueOf(value);
    }
  }

  static final class PositiveCountConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      if (!value.matches("0*[1-9][0-9]{0,8}")) {
        throw CommandLines.expected("1 to 999999999");
      }
      return Integer.valueOf(value);
    }
  }

  static final class PercentConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      if (!value.matches("100|[0-9]{1,2}")) {
        throw CommandLines.expected("0 to 100");
      }
      return Integer.valueOf(value);
    }
  }

  static final class LevelConverter implements ITypeConverter<ConsistencyLevel> {
    @Override
    public ConsistencyLevel convert(String value) {
      return Stream.of(DefaultConsistencyLevel.values())
          .filter(level -> level.name().equals(value))
          .findFirst()
          .orElseThrow(
              () ->
                  CommandLines.expected(
                      Arrays.stream(DefaultConsistencyLevel.values())
                          .map(DefaultConsistencyLevel::name)
                          .collect(Collectors.joining(", "))));
    }
  }
}
