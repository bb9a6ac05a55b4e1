/** Aggregation of reads of many keys: the parts of the line, and their values in order. */
package sluice.gateway.client.text.multiget;
