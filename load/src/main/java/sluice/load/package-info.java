/**
 * The load job: load at a fixed rate through the gateway and bypassing it, profiles, a verdict, and
 * the files that document it.
 */
@NullMarked
package sluice.load;

import org.jspecify.annotations.NullMarked;
