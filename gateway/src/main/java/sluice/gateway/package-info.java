/** The process: the command line, the event loops, and what they share. */
package sluice.gateway;
