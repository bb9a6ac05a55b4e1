/** The command line: commands, their arguments, what they print, and exit codes. */
package sluice.gateway.cli;
