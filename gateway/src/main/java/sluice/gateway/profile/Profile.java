package sluice.gateway.profile;

/**
 * A profile that was recorded.
 *
 * @param request what was asked for
 * @param engine what took the samples
 * @param content the artifact, in the format asked for; not copied
 */
public record Profile(ProfileRequest request, Engine engine, byte[] content) {
  /** A name for a file of it, which says what took the samples: {@code cpu-ctimer-30s.html}. */
  public String fileName() {
    return request.event().label()
        + "-"
        + engine.label()
        + "-"
        + request.seconds()
        + "s."
        + request.format().extension();
  }
}
