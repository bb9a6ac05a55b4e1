package sluice.gateway.profile;

/** A profile cannot be recorded, or was not; the message is for the caller. */
public final class ProfilerException extends Exception {
  private static final long serialVersionUID = 1;

  ProfilerException(String message, Throwable cause) {
    super(message, cause);
  }
}
