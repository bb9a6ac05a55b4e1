/** Choice of a request's pool and of its key: pure, no I/O. */
package sluice.gateway.route;
