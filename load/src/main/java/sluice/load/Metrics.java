package sluice.load;

/**
 * Values of the gateway's {@code /metrics} at one time.
 *
 * @param text in Prometheus' format
 */
record Metrics(String text) {
  /** The sum of a metric over all its series; 0 if it has none. */
  double sum(String name) {
    double sum = 0;
    for (String line : text.split("\n", -1)) {
      if (line.startsWith(name)
          && line.length() > name.length()
          && (line.charAt(name.length()) == '{' || line.charAt(name.length()) == ' ')) {
        sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
      }
    }
    return sum;
  }

  boolean has(String name) {
    return text.contains("\n" + name + " ") || text.contains("\n" + name + "{");
  }
}
