/**
 * Text requests while they are being handled: their lines, keys and phases, and how they are
 * written.
 */
package sluice.gateway.client.text.request;
