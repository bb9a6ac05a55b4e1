package sluice.gateway.tls;

/** Renegotiation of TLS 1.2, which is not needed, and costs a server more than the client. */
public final class Renegotiation {
  private Renegotiation() {}

  /**
   * Lets no client of this process renegotiate. Java has no other switch than this property, and
   * reads it once: call this before anything uses TLS.
   */
  public static void refuse() {
    System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
  }
}
