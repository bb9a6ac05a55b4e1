import java.nio.file.Path;
import java.util.List;
import org.apache.ignite.Ignition;
import org.apache.ignite.configuration.CacheConfiguration;
import org.apache.ignite.configuration.ConnectorConfiguration;
import org.apache.ignite.configuration.DataRegionConfiguration;
import org.apache.ignite.configuration.DataStorageConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.spi.communication.tcp.TcpCommunicationSpi;
import org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi;
import org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder;

/**
 * One node of Apache Ignite with its REST connector, which Java runs from this source: no class path
 * but the node's own has Ignite's jars. Arguments: ports of the connector, of discovery and of
 * communication, and a directory.
 */
public final class Node {
  private static final String HOST = "127.0.0.1";
  private static final long REGION_BYTES = 64L << 20;

  private Node() {}

  public static void main(String[] arguments) {
    int discoveryPort = Integer.parseInt(arguments[1]);
    TcpDiscoverySpi discovery = new TcpDiscoverySpi();
    discovery.setLocalPort(discoveryPort);
    discovery.setLocalPortRange(0);
    discovery.setIpFinder(
        new TcpDiscoveryVmIpFinder().setAddresses(List.of(HOST + ":" + discoveryPort)));
    TcpCommunicationSpi communication = new TcpCommunicationSpi();
    communication.setLocalPort(Integer.parseInt(arguments[2]));
    communication.setLocalPortRange(0);
    ConnectorConfiguration connector = new ConnectorConfiguration();
    connector.setHost(HOST);
    connector.setPort(Integer.parseInt(arguments[0]));
    connector.setPortRange(1);
    DataRegionConfiguration region = new DataRegionConfiguration();
    region.setInitialSize(REGION_BYTES);
    region.setMaxSize(REGION_BYTES);
    IgniteConfiguration configuration = new IgniteConfiguration();
    configuration.setLocalHost(HOST);
    configuration.setDiscoverySpi(discovery);
    configuration.setCommunicationSpi(communication);
    configuration.setConnectorConfiguration(connector);
    configuration.setClientConnectorConfiguration(null);
    configuration.setDataStorageConfiguration(
        new DataStorageConfiguration().setDefaultDataRegionConfiguration(region));
    configuration.setCacheConfiguration(
        new CacheConfiguration<>("default"), new CacheConfiguration<>("other"));
    configuration.setWorkDirectory(Path.of(arguments[3]).toAbsolutePath().toString());
    configuration.setMetricsLogFrequency(0);
    Ignition.start(configuration);
    System.out.println("node ready");
  }
}
