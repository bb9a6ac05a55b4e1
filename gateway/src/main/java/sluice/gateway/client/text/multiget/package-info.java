/** Aggregation of reads of many keys: the subrequests of the line, and their values in order. */
@NullMarked
package sluice.gateway.client.text.multiget;

import org.jspecify.annotations.NullMarked;
