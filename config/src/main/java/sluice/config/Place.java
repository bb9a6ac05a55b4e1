package sluice.config;

/** The place of something in a file: what a problem points at. */
interface Place {
  /** From 1. */
  int line();

  /** From 1, in characters. */
  int column();
}
