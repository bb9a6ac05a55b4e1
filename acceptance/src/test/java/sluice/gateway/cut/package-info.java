/**
 * Streams cut where it hurts: every request and every reply in two reads that meet at any byte, and
 * bytes that no peer should send. What is expected is what the gateway does with the same bytes in
 * one read; whether that is right is the suite's concern.
 */
package sluice.gateway.cut;
