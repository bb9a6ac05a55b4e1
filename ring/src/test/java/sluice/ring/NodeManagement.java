package sluice.ring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What {@code nodetool} does, without a JVM for every question: a node's management beans. */
final class NodeManagement implements AutoCloseable {

  private static final Duration REPAIR = Duration.ofMinutes(2);
  private static final Duration LIVE = Duration.ofMinutes(1);
  private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";

  // What Cassandra's ProgressEventType calls these, by their ordinals.
  private static final int ERROR = 2;
  private static final int ABORT = 3;
  private static final int COMPLETE = 5;

  private final JMXConnector connector;
  private final MBeanServerConnection beans;
  private final ObjectName storage;

  private NodeManagement(JMXConnector connector) throws IOException, JMException {
    this.connector = connector;
    this.beans = connector.getMBeanServerConnection();
    this.storage = new ObjectName(STORAGE);
  }

  /** Of the node with this port on 127.0.0.1. */
  @SuppressWarnings("BanJNDI") // what is looked up there is a node that the test has started
  static NodeManagement connect(int port) {
    try {
      String url = "service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi";
      return new NodeManagement(JMXConnectorFactory.connect(new JMXServiceURL(url)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The members that it believes to be up, {@code address:port}, itself among them. */
  @SuppressWarnings("unchecked") // what Cassandra's StorageServiceMBean declares
  List<String> liveNodes() {
    return (List<String>) attribute("LiveNodesWithPort");
  }

  /** Waits until it believes so many members to be up, itself among them. */
  void awaitLiveNodes(int count) {
    Await.until(
        LIVE,
        () -> count + " live nodes; there are " + liveNodes(),
        () -> liveNodes().size() == count);
  }

  /** Repairs a keyspace with all replicas, full, and returns when that is done. */
  void repair(String keyspace) {
    BlockingQueue<Notification> events = new LinkedBlockingQueue<>();
    NotificationListener listener = (event, handback) -> events.add(event);
    try {
      beans.addNotificationListener(storage, listener, null, null);
      Map<String, String> options = Map.of("incremental", "false", "parallelism", "parallel");
      String map = Map.class.getName();
      Object repair =
          invoke("repairAsync", new Object[] {keyspace, options}, String.class.getName(), map);
      awaitEnd("repair:" + repair, events);
      beans.removeNotificationListener(storage, listener);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitEnd(String source, BlockingQueue<Notification> events) {
    long deadline = System.nanoTime() + REPAIR.toNanos();
    while (true) {
      Notification event;
      try {
        event = events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for " + source, e);
      }
      if (event == null) {
        throw new AssertionError(source + " did not end within " + REPAIR);
      }
      if (event.getSource().equals(source)) {
        int type = (int) ((Map<?, ?>) event.getUserData()).get("type");
        if (type == ERROR || type == ABORT) {
          throw new AssertionError(source + ": " + event.getMessage());
        }
        if (type == COMPLETE) {
          return;
        }
      }
    }
  }

  /** Streams a keyspace's data from the other replicas and returns when that is done. */
  void rebuild(String keyspace) {
    String string = String.class.getName();
    invoke("rebuild", new Object[] {null, keyspace, null, null}, string, string, string, string);
  }

  private Object attribute(String name) {
    try {
      return beans.getAttribute(storage, name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JMException e) {
      throw new IllegalStateException(name, e);
    }
  }

  private Object invoke(String operation, Object[] arguments, String... signature) {
    try {
      return beans.invoke(storage, operation, arguments, signature);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JMException e) {
      throw new IllegalStateException(operation, e);
    }
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
