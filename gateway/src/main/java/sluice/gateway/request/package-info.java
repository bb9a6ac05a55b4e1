/** Requests of clients and their places in the order of replies. */
@NullMarked
package sluice.gateway.request;

import org.jspecify.annotations.NullMarked;
