/**
 * The one place that sees Vert.x's internals: how our handlers get into the pipeline of a socket
 * whose life Vert.x owns.
 */
package sluice.gateway.net;
