package sluice.gateway.dispatch;

/** Result of {@link Backend#prepare}: whether a request can be sent now. */
public enum Admission {
  /** The caller must {@linkplain Backend#send send} it before anything else is done. */
  READY,
  /** The client waits for a server, or for another request; nothing was sent. */
  WAITS,
  /** It needs no server: {@link RequestContext#takeAnswer} has the reply. */
  ANSWERED,
  /** It cannot be sent: {@link RequestContext#failure} states the reason. */
  FAILED
}
