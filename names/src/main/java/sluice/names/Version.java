package sluice.names;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Version of Sluice, which Maven writes to a resource of this package. */
public final class Version {
  private static final String CURRENT = read();

  private Version() {}

  /** The version, such as {@code 0.1.0}; {@code unknown} without Maven's resource. */
  public static String current() {
    return CURRENT;
  }

  private static String read() {
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      String version = properties.getProperty("version", "${}");
      return version.startsWith("${") ? "unknown" : version;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
