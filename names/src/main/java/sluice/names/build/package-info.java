/** Annotations for the checks of the build, in the one module that all others use. */
@NullMarked
package sluice.names.build;

import org.jspecify.annotations.NullMarked;
