/** Large values in chunks: the backend that stores and reads them, and the requests it makes. */
package sluice.gateway.dispatch.chunks;
