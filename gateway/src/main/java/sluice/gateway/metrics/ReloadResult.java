package sluice.gateway.metrics;

/** What became of a changed configuration file: the {@code result} label of reloads. */
public enum ReloadResult {
  /** It is valid and runs. */
  APPLIED,
  /** It is not valid; what ran before runs on. */
  REFUSED
}
