/** Policies of rules, one backend each, and the factory that nests them. */
@NullMarked
package sluice.gateway.dispatch.policy;

import org.jspecify.annotations.NullMarked;
