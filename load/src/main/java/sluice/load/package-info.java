/**
 * The load job: load at a fixed rate through the gateway and past it, profiles, a verdict, and the
 * files that say how it came about.
 */
package sluice.load;
