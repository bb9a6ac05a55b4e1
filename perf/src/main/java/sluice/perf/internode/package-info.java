/** Load between two nodes through a proxy, and the relay that looks at nothing beside it. */
package sluice.perf.internode;
