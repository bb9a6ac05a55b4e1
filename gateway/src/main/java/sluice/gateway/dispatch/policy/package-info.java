/** Policies of rules, one backend each, and the factory that nests them. */
package sluice.gateway.dispatch.policy;
