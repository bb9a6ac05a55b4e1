/** Load plans and budgets: files of their own, read as the configuration is. */
package sluice.config.plan;
