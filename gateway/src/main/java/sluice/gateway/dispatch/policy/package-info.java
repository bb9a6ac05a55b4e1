/** Policies of rules, one backend each, and the factory that puts them around each other. */
package sluice.gateway.dispatch.policy;
