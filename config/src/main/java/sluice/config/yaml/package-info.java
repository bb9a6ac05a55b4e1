/**
 * Files as trees with places, and trees as text: UTF-8, YAML, JSON, and references to the
 * environment and to other files.
 */
package sluice.config.yaml;
