/** Readers of classic text and meta: bytes in, requests out. */
@NullMarked
package sluice.gateway.client.text;

import org.jspecify.annotations.NullMarked;
