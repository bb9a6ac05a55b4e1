package sluice.gateway;

/** The command line. */
public final class Main {
  private Main() {}

  /** Runs one command; see {@code ./sluice help}. */
  public static void main(String[] arguments) {
    System.exit(2);
  }
}
