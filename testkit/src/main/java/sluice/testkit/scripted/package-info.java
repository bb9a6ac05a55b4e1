/** Servers that answer what a test's script says, and remember what they were asked. */
@NullMarked
package sluice.testkit.scripted;

import org.jspecify.annotations.NullMarked;
