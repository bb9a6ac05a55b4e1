/** What is done with values on their way, and the value itself as the slices that it arrived as. */
package sluice.gateway.values;
