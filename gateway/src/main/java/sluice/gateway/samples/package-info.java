/**
 * What is told of single requests: which keys are hot, the slow log, the access log.
 *
 * <p>Here: the few requests that an event loop picks, the bounded queue by which they leave it, and
 * what becomes of them on another thread. Nothing is picked but keys, names, outcomes and times;
 * values are not seen here. Not here: counters of all requests, which are the metrics package's.
 */
package sluice.gateway.samples;
