/** Requests of clients and their places in the order of replies. */
package sluice.gateway.request;
