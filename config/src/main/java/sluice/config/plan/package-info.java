/** Load plans and budgets: separate files, read and checked like the configuration. */
package sluice.config.plan;
