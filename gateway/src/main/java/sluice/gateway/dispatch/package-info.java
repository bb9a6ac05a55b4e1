/** Policies of rules, and what sends a request in its canonical form to one pool or to several. */
package sluice.gateway.dispatch;
