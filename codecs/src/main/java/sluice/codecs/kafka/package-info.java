/**
 * Values of Kafka Streams' state stores that carry record headers (KIP-1271): where the plain value
 * in them begins. Not here: what is in the headers.
 */
package sluice.codecs.kafka;
