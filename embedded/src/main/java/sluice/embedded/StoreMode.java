package sluice.embedded;

/** Modes of storing a value, which the storage commands of every dialect map to. */
enum StoreMode {
  SET,
  ADD,
  REPLACE,
  APPEND,
  PREPEND,
  CAS,
  APPEND_OR_CREATE,
  PREPEND_OR_CREATE;

  boolean isAppend() {
    return this == APPEND || this == APPEND_OR_CREATE;
  }

  boolean isConcatenation() {
    return isAppend() || this == PREPEND || this == PREPEND_OR_CREATE;
  }
}
