/**
 * Values that are stored in pieces: what stands in their place, and what their pieces are called.
 * Which values, and how they come to servers, is the gateway's.
 */
package sluice.codecs.split;
