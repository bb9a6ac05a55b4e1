package sluice.gateway.metrics;

/** Result of reading a changed configuration file: the {@code result} label of reloads. */
public enum ReloadResult {
  /** The file is valid and in use. */
  APPLIED,
  /** The file is invalid; the previous configuration stays in use. */
  REFUSED
}
