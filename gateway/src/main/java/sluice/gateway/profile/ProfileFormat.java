package sluice.gateway.profile;

import java.util.Locale;

/** Format of a profile. */
public enum ProfileFormat {
  /** HTML page that needs no other files. */
  FLAMEGRAPH("html", "text/html; charset=utf-8"),
  /** A recording for JDK Mission Control and jfr-converter. */
  JFR("jfr", "application/octet-stream"),
  /** A line for each stack, frames separated by semicolons, with its count. */
  COLLAPSED("txt", "text/plain; charset=utf-8");

  private final String label = name().toLowerCase(Locale.ROOT);
  private final String extension;
  private final String contentType;

  ProfileFormat(String extension, String contentType) {
    this.extension = extension;
    this.contentType = contentType;
  }

  /** Its name in requests. */
  public String label() {
    return label;
  }

  /** Extension of such files, without the dot. */
  public String extension() {
    return extension;
  }

  /** The media type. */
  public String contentType() {
    return contentType;
  }
}
