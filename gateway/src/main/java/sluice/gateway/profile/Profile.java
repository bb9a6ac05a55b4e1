package sluice.gateway.profile;

/**
 * Recorded profile.
 *
 * @param request the request for it
 * @param engine that took the samples
 * @param content the artifact, in the requested format; not copied
 */
public record Profile(ProfileRequest request, Engine engine, byte[] content) {
  /** A file name that includes the engine: {@code cpu-ctimer-30s.html}. */
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
