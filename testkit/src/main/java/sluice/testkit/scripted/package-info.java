/** Servers that answer what a test's script says, and remember what they were asked. */
package sluice.testkit.scripted;
