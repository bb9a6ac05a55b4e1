/** Readers of classic text and meta: bytes in, requests out. */
package sluice.gateway.client.text;
