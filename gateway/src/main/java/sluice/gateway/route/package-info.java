/** Which pool a request goes to, and with which key: pure, no I/O. */
package sluice.gateway.route;
