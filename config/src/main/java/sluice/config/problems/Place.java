package sluice.config.problems;

/** Place in a file, which a problem points at. */
public interface Place {
  /** From 1. */
  int line();

  /** From 1, in characters. */
  int column();
}
