/** Load plans and budgets: separate files, read and checked like the configuration. */
@NullMarked
package sluice.config.plan;

import org.jspecify.annotations.NullMarked;
