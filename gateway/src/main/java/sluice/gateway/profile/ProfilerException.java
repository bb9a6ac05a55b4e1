package sluice.gateway.profile;

import org.jspecify.annotations.Nullable;

/** Exception for a profile that cannot be recorded; the message is for the caller. */
public final class ProfilerException extends Exception {
  private static final long serialVersionUID = 1;

  ProfilerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
