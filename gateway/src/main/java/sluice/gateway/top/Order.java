package sluice.gateway.top;

/** Order of the servers on the screen, each with the key that chooses it. */
enum Order {
  CONFIGURED('c', "configured"),
  NAME('n', "name"),
  RATE('r', "req/s"),
  TIME('t', "p99"),
  IN_FLIGHT('i', "in flight"),
  EJECTIONS('e', "ejected");

  private final char key;
  private final String label;

  Order(char key, String label) {
    this.key = key;
    this.label = label;
  }

  char key() {
    return key;
  }

  String label() {
    return label;
  }
}
