package sluice.gateway.profile;

import java.util.Locale;

/** What a profile is written as. */
public enum ProfileFormat {
  /** One page of HTML that needs nothing else. */
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

  /** As it is written in requests. */
  public String label() {
    return label;
  }

  /** How the names of such files end, without the dot. */
  public String extension() {
    return extension;
  }

  /** The media type. */
  public String contentType() {
    return contentType;
  }
}
