/** Servers that answer by a test's script, and record their requests. */
@NullMarked
package sluice.testkit.scripted;

import org.jspecify.annotations.NullMarked;
