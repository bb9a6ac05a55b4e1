/** Aggregation of reads of many keys: the parts of the line, and their values in order. */
@NullMarked
package sluice.gateway.client.text.multiget;

import org.jspecify.annotations.NullMarked;
