package sluice.config.problems;

/** The place of something in a file: what a problem points at. */
public interface Place {
  /** From 1. */
  int line();

  /** From 1, in characters. */
  int column();
}
