/** The command line: commands, their arguments, what they print, and exit codes. */
@NullMarked
package sluice.gateway.cli;

import org.jspecify.annotations.NullMarked;
