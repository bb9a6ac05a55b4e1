/** Processing of values on their way, and values as lists of the slices in which they arrived. */
package sluice.gateway.values;
