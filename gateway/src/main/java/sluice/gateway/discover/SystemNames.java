package sluice.gateway.discover;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.vertx.core.dns.AddressResolverOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings by which Vert.x looks up the names of servers that are not discovered. Search domains
 * count as in other programs of the machine (resolv.conf(5)).
 *
 * <p>By itself, Vert.x knows the search domains, but not {@code ndots}: it first looks up a name
 * with a dot alone. In a pod, where {@code ndots} is 5, {@code cache-0.cache} would be a question
 * for name servers outside of the cluster. If they do not answer, the look-up fails. If they know
 * an address for every name, that is where requests go.
 */
public final class SystemNames {
  private static final Logger LOG = LoggerFactory.getLogger(SystemNames.class);
  private static final Path FILE = Path.of("/etc/resolv.conf");

  /** After so many milliseconds the next name server is asked: within a connectTimeout of 1 s. */
  private static final int NAME_SERVER_MILLIS = 400;

  /** For one name: three name servers are asked for two kinds of addresses, and for aliases. */
  private static final int MOST_QUERIES = 16;

  /**
   * How long an address counts at most. Records may live for minutes, although the name server
   * knows a container's new address at once.
   */
  private static final int ADDRESS_SECONDS = 30;

  private static final Pattern DOMAINS = Pattern.compile("(?:search|domain)\\s+(\\S.*)");
  private static final Pattern DOTS = Pattern.compile("options\\s(?:.*\\s)?ndots:([0-9]{1,9}).*");
  private static final int MOST_DOTS = 15; // more count as that many
  private static final String ROOT = "."; // systemd-resolved writes it where there is no domain

  private SystemNames() {}

  /** The settings of this machine. */
  public static AddressResolverOptions options() {
    return options(FILE);
  }

  /** The settings of a file in the form of resolv.conf, which need not exist. Blocks. */
  static AddressResolverOptions options(Path file) {
    AddressResolverOptions options =
        new AddressResolverOptions()
            .setQueryTimeout(NAME_SERVER_MILLIS)
            .setMaxQueries(MOST_QUERIES)
            .setCacheMaxTimeToLive(ADDRESS_SECONDS);
    List<String> lines;
    try {
      lines = Files.readAllLines(file, ISO_8859_1);
    } catch (IOException e) {
      LOG.debug("no search domains", e);
      return options;
    }
    for (String line : lines) {
      Matcher domains = DOMAINS.matcher(line);
      Matcher dots = DOTS.matcher(line);
      if (domains.matches()) { // the last such line counts
        options.setSearchDomains(
            Arrays.stream(domains.group(1).trim().split("\\s+"))
                .filter(domain -> !domain.equals(ROOT))
                .toList());
      } else if (dots.matches()) {
        // with 0, Netty would not search at all
        options.setNdots(Math.max(1, Math.min(MOST_DOTS, Integer.parseInt(dots.group(1)))));
      }
    }
    return options;
  }
}
