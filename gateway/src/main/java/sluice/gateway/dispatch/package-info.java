/** What requests are sent to: backends, the pools at their end, and a request's context. */
package sluice.gateway.dispatch;
