/**
 * Aggregation of reads of many keys: which part of the line goes where, and its values in order.
 */
package sluice.gateway.client.text.multiget;
