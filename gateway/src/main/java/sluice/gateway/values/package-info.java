/** Processing of values on their way, and values as lists of the slices in which they arrived. */
@NullMarked
package sluice.gateway.values;

import org.jspecify.annotations.NullMarked;
