/** One request of a client and its place in the order of replies. */
package sluice.gateway.exchange;
