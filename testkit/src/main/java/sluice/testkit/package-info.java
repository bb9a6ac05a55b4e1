/**
 * What the tests of several modules share: the guard that fails a run for leaks, blocked event
 * loops and errors in the log, and what fakes and clients are made of. Nothing here knows the
 * product.
 */
@NullMarked
package sluice.testkit;

import org.jspecify.annotations.NullMarked;
