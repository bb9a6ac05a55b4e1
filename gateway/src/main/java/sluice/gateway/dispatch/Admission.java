package sluice.gateway.dispatch;

/** The result of {@link Backend#prepare}: whether a request can be sent now. */
public enum Admission {
  /** It is to be {@linkplain Backend#send sent}, before anything else is done. */
  READY,
  /** Its client waits for a server, or for another request; nothing has happened. */
  WAITS,
  /** It needs no server: {@link RequestContext#takeAnswer} has the reply. */
  ANSWERED,
  /** It cannot be sent: {@link RequestContext#failure} says why. */
  FAILED
}
