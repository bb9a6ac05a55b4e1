/** Marks for the checks of the build, in the one module that all others see. */
package sluice.names.build;
