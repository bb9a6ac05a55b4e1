/**
 * Support for the tests of several modules. A guard fails a run for leaks, blocked event loops and
 * errors in the log. Other classes are parts of fakes and clients. Nothing here depends on the
 * product.
 */
@NullMarked
package sluice.testkit;

import org.jspecify.annotations.NullMarked;
